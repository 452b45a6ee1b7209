import Benchmark
import Foundation
import ResourceXML
import XMLCoder

/// Why these exist: XML is worth a parser of our own only if it isn't slower than the platform's, which
/// checks less, and a decoder only if feeds of megabytes decode while a user waits. Two sizes show that
/// the cost is linear; the dense document shows what elements cost when there is no text to hurry over.
let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock, .cpuTotal, .instructions, .peakMemoryResident, .throughput],
    warmupIterations: 1, maxDuration: .seconds(5), maxIterations: 30)

  let documents = [
    ("feed 1 MB", Documents.feed(size: 1_000_000)),
    ("feed 20 MB", Documents.feed(size: 20_000_000)),
    ("dense 1 MB", Documents.dense(size: 1_000_000)),
  ]
  for (name, data) in documents {
    Benchmark("parse \(name): XMLTree") { _ in
      blackHole(try XMLTree(parsing: data))
    }
    Benchmark("parse \(name): XMLEventParser") { _ in
      var count = 0
      try XMLEventParser.parse(data) { _ in count += 1 }
      blackHole(count)
    }
    // FoundationXML's parser fails over 10 MB.
    if data.count < 10_000_000 {
      Benchmark("parse \(name): FoundationXML") { _ in
        blackHole(Listener.events(of: data))
      }
    }
  }

  for (name, data) in documents.prefix(2) {
    Benchmark("decode \(name): ResourceXML") { _ in
      blackHole(try ResourceXML.XMLDecoder().decode(Feed.self, from: data))
    }
    if data.count < 10_000_000 {
      Benchmark("decode \(name): XMLCoder") { _ in
        blackHole(try XMLCoder.XMLDecoder().decode(Feed.self, from: data))
      }
    }
  }
  let dense = documents[2].1
  Benchmark("decode dense 1 MB: ResourceXML") { _ in
    blackHole(try ResourceXML.XMLDecoder().decode(Table.self, from: dense))
  }
  Benchmark("decode dense 1 MB: XMLCoder") { _ in
    blackHole(try XMLCoder.XMLDecoder().decode(Table.self, from: dense))
  }
}
