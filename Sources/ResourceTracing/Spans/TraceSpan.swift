public import Foundation
import ResourceLoading

/// A part of a trace: a load, or one of the requests that it sent.
public struct TraceSpan: Sendable {
  /// The position of this span in its trace, which is sent to servers.
  public internal(set) var context: TraceContext

  /// The position of the parent; `nil` for the first span of a trace.
  public let parent: TraceContext?

  /// The kind of the span.
  public let kind: Kind

  /// The date at which it began.
  public let start: Date

  /// The date at which it ended; `nil` until then.
  public internal(set) var end: Date?

  /// Related spans of other traces. If a load shared the response of another one, this is the other
  /// load's span.
  public internal(set) var links: [TraceContext] = []

  /// The facts about the request. Texts are created from them on demand.
  var facts: HTTPFacts

  /// The identifier with which the span began, even if a recorder has replaced it.
  let firstID: SpanID

  /// The kind of a span. Cases may be added, so a `switch` needs an `@unknown default`.
  @nonexhaustive public enum Kind: Sendable, Hashable {
    /// A load, from its first stage until its value has been parsed: OpenTelemetry's `INTERNAL`.
    case load
    /// A request on the wire, of an attempt or a redirect: OpenTelemetry's `CLIENT`.
    case exchange
  }

  init(
    _ kind: Kind, _ facts: HTTPFacts, context: TraceContext, parent: TraceContext?, start: Date
  ) {
    self.kind = kind
    self.facts = facts
    self.context = context
    firstID = context.spanID
    self.parent = parent
    self.start = start
  }
}

// Names and attributes follow OpenTelemetry's conventions for HTTP clients, version 1.23 and later.

extension TraceSpan {
  /// The name: the method, and the template of the path if it is known, such as `GET /users/{}`. It
  /// contains no values of requests, so there are few names.
  public var name: String { name(facts.texts) }

  func name(_ texts: HTTPFacts.Texts) -> String {
    let method = facts.isKnownMethod ? facts.method.rawValue : "HTTP"
    return texts.template.map { method + " " + $0 } ?? method
  }

  /// The status. A request has failed if its status is 400 or higher. A load has failed if it threw
  /// an error.
  public var status: Status {
    guard let errorType = facts.errorType(in: kind) else { return .unset }
    return .error(type: errorType, message: facts.failure?.reason)
  }

  /// The status of a span. Cases may be added, so a `switch` needs an `@unknown default`.
  @nonexhaustive public enum Status: Sendable, Hashable {
    /// It has succeeded, or hasn't ended yet.
    case unset
    /// It has failed. The values are a short name for the type of the failure, and a message
    /// without secrets.
    case error(type: String, message: String?)
  }

  /// The attributes, with OpenTelemetry's names and without secrets.
  ///
  /// All spans have `http.request.method` (and `…method_original`), `url.full`, `url.template`,
  /// `server.address`, `server.port`, `http.response.status_code` and `error.type`. Requests also
  /// have `http.request.resend_count`, and if the engine knows them, `network.protocol.version`,
  /// `network.peer.address` and `network.peer.port`. Loads also have `resource_loading.source`:
  /// `network`, `cache`, `revalidated` or `stale`.
  public var attributes: [Attribute] {
    var attributes: [Attribute] = []
    forEachAttribute(facts.texts) { attributes.append(Attribute("\($0)", $1)) }
    return attributes
  }

  /// Calls a closure for each attribute, in order.
  func forEachAttribute(
    _ texts: HTTPFacts.Texts, _ body: (StaticString, Attribute.Value) -> Void
  ) {
    facts.forEachAttribute(texts, body)
    if let status = facts.status { body("http.response.status_code", .integer(status.rawValue)) }
    if let type = facts.errorType(in: kind) { body("error.type", .string(type)) }
    switch kind {
    case .load:
      if let source = facts.source { body("resource_loading.source", .string(source.name)) }
    case .exchange:
      if facts.resendCount > 0 {
        body("http.request.resend_count", .integer(facts.resendCount))
      }
      if let version = facts.httpVersion { body("network.protocol.version", .string(version)) }
      if let peer = facts.peer {
        body("network.peer.address", .string(peer.address))
        body("network.peer.port", .integer(peer.port))
      }
    }
  }

  /// A named value.
  public struct Attribute: Sendable, Hashable {
    /// The name, such as `http.request.method`.
    public var name: String
    /// The value.
    public var value: Value

    /// Creates an attribute.
    public init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }

    /// A value. Cases may be added, so a `switch` needs an `@unknown default`.
    @nonexhaustive public enum Value: Sendable, Hashable {
      /// A text.
      case string(String)
      /// A whole number.
      case integer(Int)
    }
  }

  /// The value of an attribute; `nil` if there is no such attribute.
  public subscript(name: String) -> Attribute.Value? {
    attributes.first { $0.name == name }?.value
  }
}

extension TraceSpan: CustomReflectable {
  /// Shows the span without secrets.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "name": name, "kind": kind, "context": context, "parent": parent as Any, "start": start,
        "end": end as Any, "status": status, "attributes": attributes, "links": links,
      ])
  }
}

extension TraceSpan.Attribute.Value: CustomStringConvertible {
  /// The value as a text.
  public var description: String {
    switch self {
    case .string(let text): text
    case .integer(let number): "\(number)"
    }
  }
}
