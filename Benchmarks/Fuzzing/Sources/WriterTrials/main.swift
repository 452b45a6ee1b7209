import Foundation

// Writes values of random types, which write to their containers in random ways, under random
// settings, and compares the bytes with those of `JSONEncoder`. The tests of ResourceJSON do the
// same for some thousands; the files beside this one are theirs.
//
//     WriterTrials [COUNT [SEED]]

let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let count = arguments.first ?? 1_000_000
let start = arguments.count > 1 ? arguments[1] : 0
var differences = 0
for seed in start..<start + count {
  guard let difference = EncodingTrial.difference(seed) else { continue }
  differences += 1
  print(difference)
}
print("\(count) values, \(differences) written otherwise than by JSONEncoder")
exit(differences == 0 ? 0 : 1)
