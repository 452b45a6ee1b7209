import Measuring

// Why these exist: decoding is most of what a load of JSON costs, and encoding much of a POST. A
// reader and a writer of our own are worth it only if they are several times as fast as
// Foundation's.
registerDecoding()
registerEncoding()
registerResource()
registerMemory()
registerPieces()
registerPartials()
registerGigabyte()
try Suite.run()
