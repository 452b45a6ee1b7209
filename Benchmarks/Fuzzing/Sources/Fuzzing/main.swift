import CFuzzing
import Foundation

// FUZZER names one of the fuzzers; the arguments are libFuzzer's.
guard fuzzer != nil else {
  print("FUZZER is to be one of", fuzzers.keys.sorted().joined(separator: ", "))
  exit(64)
}
var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv as UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
exit(
  LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
    if let fuzzer { Trial(Array(UnsafeBufferPointer(start: bytes, count: count))).run(fuzzer) }
    return 0
  })
