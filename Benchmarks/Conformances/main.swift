import Foundation
import ResourceJSON

// The program of `../conformances`: decodes or encodes by one library, because a process knows each
// type after the first time.

@_optimize(none)
func blackHole(_ value: some Any) {}

func processorTime() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Prints what the first time took, and the median of later ones.
func measure(_ name: String, _ body: () throws -> Void) rethrows {
  let times = try (0..<101).map { _ in
    let start = processorTime()
    try body()
    return processorTime() - start
  }
  let later = times.dropFirst().sorted()[50]
  print("\(name): \(times[0] / 1_000) µs the first time, \(later / 1_000) µs later")
}

let data = Documents.messages
switch CommandLine.arguments.dropFirst() {
case ["decode", "ours"]:
  try measure("JSONReader") { blackHole(try JSONReader().decode(Messages.self, from: data)) }
case ["decode", "foundation"]:
  try measure("JSONDecoder") { blackHole(try JSONDecoder().decode(Messages.self, from: data)) }
case ["encode", "ours"]:
  let value = try JSONReader().decode(Messages.self, from: data)
  try measure("JSONWriter") { blackHole(try JSONWriter().encode(value)) }
case ["encode", "foundation"]:
  let value = try JSONReader().decode(Messages.self, from: data)
  try measure("JSONEncoder") { blackHole(try JSONEncoder().encode(value)) }
default: preconditionFailure("decode or encode, ours or foundation")
}
