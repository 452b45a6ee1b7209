import Trials

runFuzzer(of: ["jsonreader": ReaderFuzzer()])
