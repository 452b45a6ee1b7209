import Measuring

// Why these exist: decoding is most of what a load of JSON costs, and a reader of our own is worth
// it only if it is several times as fast as Foundation's.
registerDecoding()
registerResource()
registerMemory()
try Suite.run()
