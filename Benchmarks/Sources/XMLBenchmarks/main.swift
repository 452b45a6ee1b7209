import Measuring

// Why these exist: XML is worth a parser of our own only if it isn't slower than the platform's,
// which checks less, and a decoder only if feeds of megabytes decode while a user waits.
registerParsing()
registerTrees()
registerDecoding()
registerMemory()
try Suite.run()
