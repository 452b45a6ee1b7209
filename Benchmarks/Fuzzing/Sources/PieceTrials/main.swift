import Foundation

// Reads the documents of the benchmarks in pieces: the small one cut at each byte, the others at
// random, whole and with a byte replaced. The values and the errors are those of one piece, each
// value so far is a prefix of the next, and the elements are those of the whole document.
//
//     PieceTrials [COUNT [SEED]]

let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let count = arguments.first ?? 200
let start = arguments.count > 1 ? arguments[1] : 0
var differences = 0

/// A document with an array in it.
struct Document {
  let name: String
  let data: Data
  /// The path to the array, and how many elements it has.
  let path: String
  let elements: Int
}

let documents = [
  Document(name: "messages", data: Documents.messages, path: "statuses", elements: 360),
  Document(name: "catalog", data: Documents.catalog, path: "performances", elements: 395),
  Document(
    name: "border", data: Documents.border, path: "features[0].geometry.coordinates",
    elements: 550),
  Document(name: "issues", data: Documents.issues, path: "", elements: 1_000),
]

@MainActor
func check(_ isSame: Bool, _ what: @autoclosure () -> String) {
  guard !isSame else { return }
  differences += 1
  print(what())
}

/// Compares a document in pieces with the same in one.
@MainActor
func compare(_ document: Document, at cuts: [Int], _ what: String) {
  let pieces = PieceTrial.pieces(document.data, at: cuts)
  let whole = PieceTrial.whole(document.data)
  let value = PieceTrial.partials(pieces, grows: whole.error == nil)
  check(value == whole, "\(what), cut at \(cuts): another value, \(value.error ?? "no error")")
  let elements = PieceTrial.elements(pieces, at: document.path)
  let inOne = PieceTrial.elements([document.data], at: document.path)
  check(elements == inOne, "\(what), cut at \(cuts): other elements")
  if whole.error == nil {
    check(elements.values.count == document.elements, "\(what): \(elements.values.count) elements")
  }
}

let small = Document(name: "small", data: Documents.small, path: "", elements: 12)
for cut in 0...small.data.count { compare(small, at: [cut], "small") }
for seed in start..<start + count {
  var random = Seeded(seed)
  for document in documents {
    let size = document.data.count
    let cuts = (0..<4).map { _ in Int.random(in: 0...size, using: &random) }.sorted()
    compare(document, at: cuts, "\(seed) \(document.name)")
    var broken = document.data
    broken[Int.random(in: 0..<size, using: &random)] = UInt8.random(in: 0...255, using: &random)
    // What is broken may be a name on the path, or a value outside of the array.
    let pieces = PieceTrial.pieces(broken, at: cuts)
    let whole = PieceTrial.whole(broken)
    check(
      PieceTrial.partials(pieces, grows: whole.error == nil) == whole,
      "\(seed) \(document.name), broken, cut at \(cuts): another value")
    check(
      PieceTrial.elements(pieces, at: document.path)
        == PieceTrial.elements([broken], at: document.path),
      "\(seed) \(document.name), broken, cut at \(cuts): other elements")
  }
}
print("\(count) rounds of \(documents.count) documents, \(differences) differences")
exit(differences == 0 ? 0 : 1)
