import Foundation
import ResourceLoading
import TestSupport
import Testing

/// Plants a secret in each input of a load, ends the load in each way, and searches every output.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct LoadTests {
  @Test(arguments: Plant.all)
  func `no output of a load shows what was planted`(_ plant: Plant) async throws {
    for ending in Ending.all {
      let outputs = try await Stage(plant).play(ending)

      #expect(outputs.count > 40, Comment(rawValue: ending.name))
      expectNone(of: plant, in: outputs, ending.name)
    }
  }

  @Test(arguments: Plant.all)
  func `no form of a load shows what was planted`(_ plant: Plant) async throws {
    for ending in Ending.few {
      expectNone(of: plant, in: try await Stage(plant).forms(ending), ending.name)
      expectNone(of: plant, in: try await Stage(plant).live(ending), ending.name)
    }
  }

  @Test(arguments: Plant.all)
  func `no file of a cache or a download has what was planted`(_ plant: Plant) async throws {
    // A file has the values of headers that the cache takes for harmless by their names.
    if plant.name != "Accept" {
      expectNone(of: plant, in: try await Stage(plant).cache(), "stored")
    }
    expectNone(of: plant, in: try await Stage(plant).download(), "cut")
  }

  @Test(arguments: Plant.all)
  func `no report and no file of an outbox has what was planted`(_ plant: Plant) async throws {
    for ending in Ending.few {
      let outputs = try await Stage(plant).outbox(ending)

      let isTaken = outputs.contains {
        $0.name.hasPrefix("whether") && $0.bytes == Data("true".utf8)
      }
      #expect(isTaken || plant.isRefusedByOutbox)
      expectNone(of: plant, in: outputs, ending.name)
    }
  }
}

extension Plant {
  /// Whether an outbox refuses the request: it would have to keep a credential in its file.
  fileprivate var isRefusedByOutbox: Bool {
    symbols.contains { $0.hasPrefix("Quer") || $0.contains("query") } || name.contains("URL")
      || name.contains("query")
  }
}

/// Records an issue for each output in which the secret of a plant is found.
func expectNone(of plant: Plant, in outputs: [Output], _ ending: String) {
  #expect(!outputs.isEmpty)
  for leak in plant.secret.leaks(in: outputs) {
    Issue.record(Comment(rawValue: "\(plant.name), \(ending): \(leak)"))
  }
}
