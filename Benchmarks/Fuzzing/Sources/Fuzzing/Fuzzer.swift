import Foundation

/// Sends bytes to a part of the library and checks what comes of them.
protocol Fuzzer: Sendable {
  /// What an input may cost.
  var bounds: Bounds { get }

  /// Works through an input; ends the process if something doesn't hold.
  func run(_ choices: Choices, _ payload: [UInt8])
}

let fuzzers: [String: any Fuzzer] = [
  "heads": HeadFuzzer(), "codings": CodingFuzzer(), "cookies": CookieFuzzer(),
  "redaction": RedactionFuzzer(), "curl": CURLFuzzer(), "json": JSONFuzzer(),
]

let fuzzer = fuzzers[ProcessInfo.processInfo.environment["FUZZER"] ?? ""]

/// What an input decides beside its payload.
struct Choices {
  private var bits: UInt64

  init(_ bytes: ArraySlice<UInt8>) { bits = bytes.reduce(0) { $0 << 8 | UInt64($1) } }

  /// One of so many.
  mutating func pick(_ count: Int) -> Int {
    defer { bits /= UInt64(count) }
    return Int(bits % UInt64(count))
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[pick(elements.count)] }

  mutating func flip() -> Bool { pick(2) == 1 }
}

/// Ends the process, so that the fuzzer keeps the input, if something doesn't hold.
func claim(_ holds: Bool, _ message: @autoclosure () -> String) {
  if !holds { fatalError(message()) }
}
