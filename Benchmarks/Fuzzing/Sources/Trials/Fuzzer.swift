import CFuzzing
import Foundation
import Synchronization

/// Sends bytes to a part of the library and checks what comes of them.
package protocol Fuzzer: Sendable {
  /// What an input may cost.
  var bounds: Bounds { get }

  /// Works through an input; ends the process if something doesn't hold.
  func run(_ choices: Choices, _ payload: [UInt8])

  /// Returns how many times as much work a longer payload is than a shorter one.
  func growth(from short: [UInt8], to long: [UInt8], _ choices: Choices) -> Double
}

extension Fuzzer {
  package func growth(from short: [UInt8], to long: [UInt8], _ choices: Choices) -> Double {
    Double(long.count) / Double(short.count)
  }
}

/// The fuzzer that libFuzzer calls: a pointer to a C function can hold none.
private let chosen = Mutex<(any Fuzzer)?>(nil)

/// Has libFuzzer call the fuzzer that FUZZER names; the arguments of the process are libFuzzer's.
package func runFuzzer(of fuzzers: [String: any Fuzzer]) -> Never {
  guard let fuzzer = fuzzers[ProcessInfo.processInfo.environment["FUZZER"] ?? ""] else {
    print("FUZZER is to be one of", fuzzers.keys.sorted().joined(separator: ", "))
    exit(64)
  }
  chosen.withLock { $0 = fuzzer }
  var count = CommandLine.argc
  var arguments = CommandLine.unsafeArgv as UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  exit(
    LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
      if let fuzzer = chosen.withLock(\.self) {
        Trial(Array(UnsafeBufferPointer(start: bytes, count: count))).run(fuzzer)
      }
      return 0
    })
}

/// What an input decides beside its payload.
package struct Choices: Sendable {
  private var bits: UInt64

  init(_ bytes: ArraySlice<UInt8>) { bits = bytes.reduce(0) { $0 << 8 | UInt64($1) } }

  /// One of so many.
  package mutating func pick(_ count: Int) -> Int {
    defer { bits /= UInt64(count) }
    return Int(bits % UInt64(count))
  }

  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[pick(elements.count)]
  }

  package mutating func flip() -> Bool { pick(2) == 1 }
}

/// Ends the process, so that the fuzzer keeps the input, if something doesn't hold.
package func claim(_ holds: Bool, _ message: @autoclosure () -> String) {
  if !holds { fatalError(message()) }
}
