import Foundation
import ResourceLoading
import ResourceTesting
import ResourceTracing
import Testing

/// A collector on the loopback interface that understands OpenTelemetry's protocol.
struct Collector {
  let server: LoopbackServer

  /// - Parameter answers: Its responses, one after another.
  init(_ answers: Script...) throws {
    let (first, rest) = (answers.first ?? .json("{}"), answers.dropFirst())
    let turn = Turn()
    let scripts = [first] + rest
    server = try LoopbackServer {
      LoopbackRoute("POST /v1/traces") { _ in scripts[min(turn.next(), scripts.count - 1)] }
    }
  }

  func stop() { server.stop() }

  /// An exporter that sends to it when it is flushed.
  func exporter(_ configure: (inout OTLPExporter.Configuration) -> Void = { _ in }) -> OTLPExporter
  {
    OTLPExporter(server.url("/"), service: "test") {
      $0.delay = .seconds(3600)
      configure(&$0)
    }
  }

  /// The spans of all documents that it has received.
  var spans: [CollectedSpan] {
    get throws { try server.requests.flatMap { try CollectedSpan.all(in: $0.body) } }
  }

  /// The documents as they were received.
  var texts: [String] {
    server.requests.map { String(decoding: $0.rawHead, as: UTF8.self) + $0.text }
  }
}

/// A span as a collector gets it.
struct CollectedSpan: Decodable {
  var traceId: String
  var spanId: String
  var parentSpanId: String?
  var traceState: String?
  var flags: Int
  var name: String
  var kind: Int
  var startTimeUnixNano: String
  var endTimeUnixNano: String
  var attributes: [Attribute]
  var links: [Link]?
  var status: Status?

  struct Attribute: Decodable {
    var key: String
    var value: Value

    struct Value: Decodable {
      var stringValue: String?
      var intValue: String?
    }
  }

  struct Link: Decodable {
    var traceId: String
    var spanId: String
  }

  struct Status: Decodable {
    var code: Int
    var message: String?
  }

  subscript(name: String) -> String? {
    attributes.first { $0.key == name }.flatMap { $0.value.stringValue ?? $0.value.intValue }
  }

  var isLoad: Bool { kind == 1 }
  var isExchange: Bool { kind == 3 }
  /// In the form of `traceparent`.
  var position: String { "\(traceId)-\(spanId)" }
}

extension CollectedSpan {
  private struct Document: Decodable {
    var resourceSpans: [ResourceSpans]

    struct ResourceSpans: Decodable {
      var resource: Resource
      var scopeSpans: [ScopeSpans]
    }
    struct Resource: Decodable { var attributes: [Attribute] }
    struct ScopeSpans: Decodable {
      var scope: Scope
      var spans: [CollectedSpan]
    }
    struct Scope: Decodable { var name: String }
  }

  static func all(in document: Data) throws -> [CollectedSpan] {
    let document = try JSONDecoder().decode(Document.self, from: document)
    #expect(
      document.resourceSpans.allSatisfy {
        $0.resource.attributes.contains {
          $0.key == "service.name" && $0.value.stringValue == "test"
        }
      })
    #expect(
      document.resourceSpans.flatMap(\.scopeSpans).allSatisfy { $0.scope.name == "ResourceTracing" }
    )
    return document.resourceSpans.flatMap(\.scopeSpans).flatMap(\.spans)
  }
}

extension [CollectedSpan] {
  var loads: [CollectedSpan] { filter(\.isLoad) }
  var exchanges: [CollectedSpan] { filter(\.isExchange) }

  func children(of span: CollectedSpan) -> [CollectedSpan] {
    filter { $0.parentSpanId == span.spanId && $0.traceId == span.traceId }
  }
}

extension ReceivedRequest {
  /// The trace and span of its `traceparent`.
  var position: String? {
    header("traceparent").map { String($0.dropFirst(3).dropLast(3)) }
  }
}

private final class Turn: Sendable {
  private let count = Counter()
  func next() -> Int { count.next() }
}
