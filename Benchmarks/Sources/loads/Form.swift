import Foundation
import FoundationNetworking
import Handwritten
import PromiseModule
import ResourceCache
import ResourceInspector
import ResourceLoading
import ResourceStore
import ResourceTracing

/// Who loads, and how one waits for it.
enum Form: String, CaseIterable {
  /// `dataTask` and `JSONDecoder`.
  case handwritten
  /// The same with `URLSession.shared`.
  case handwrittenShared = "handwritten-shared"
  case await
  case promise
  case callback
  /// A request that has an `Authorization`, as those of a client that authenticates.
  case awaitWithHeader = "await-with-header"
  /// A client over a session like the others', with no middleware of its own.
  case client
  /// A client with retry, a bearer token, coalescing and a log that is off, over a session like the
  /// others'.
  case middleware
  /// A client with a URLSession of its own.
  case ownSession = "own-session"
  /// A client over libcurl.
  case curl
  /// A client over libcurl with a base URL; the same with a header as long as `traceparent`, which
  /// is what any trace costs at least; and one that is traced: sampled out, and sampled in with an
  /// exporter whose collector answers at once.
  case untraced
  case untracedWithHeader = "untraced-with-header"
  case sampledOut = "sampled-out"
  case sampledIn = "sampled-in"
  /// An untraced client whose loads are only counted by an observer, one with an inspector that no
  /// page looks at, and one with a page that follows it in another process.
  case observed
  case inspected
  case watched
  /// The same as the traced ones over a session like the others'.
  case sessionUntraced = "session-untraced"
  case sessionUntracedWithHeader = "session-untraced-with-header"
  case sessionSampledOut = "session-sampled-out"
  case sessionSampledIn = "session-sampled-in"
  /// The same without decoding.
  case curlData = "curl-data"
  /// libcurl's multi interface, driven by a loop in C.
  case libcurl
  /// A client that has the body in its cache in memory.
  case cache
  /// A client that has the body in its cache in a file.
  case cacheFile = "cache-file"
}

extension Form {
  typealias Load = @Sendable () async throws -> Void

  /// - Parameters:
  ///   - url: Where the document is.
  ///   - exporter: Where the spans of traced loads go.
  func load(_ url: URL, tracingTo exporter: OTLPExporter) -> Load {
    let (session, decoder) = (URLSession.makeBare(), JSONDecoder())
    let resource = Resource<Document>(json: url)
    switch self {
    case .handwritten: return Self.handwritten(url, session, decoder)
    case .handwrittenShared: return Self.handwritten(url, .shared, decoder)
    case .await: return { _ = try await session.load(resource) }
    case .promise: return { _ = try await session.promise(for: resource).get() }
    case .callback: return Self.callingBack(resource, session)
    case .awaitWithHeader:
      var resource = resource
      resource.request.headers[.authorization] = "Bearer token"
      return { [resource] in _ = try await session.load(resource) }
    case .client: return Self.through([], URLSessionTransport(session: session), resource)
    case .middleware:
      return Self.through(
        [
          RetryMiddleware(), BearerAuthentication(token: "token"), CoalescingMiddleware(),
          LoggingMiddleware(.off),
        ],
        URLSessionTransport(session: session), resource)
    case .ownSession: return Self.through([], URLSessionTransport(), resource)
    case .curl: return Self.through([], CurlTransport(), resource)
    case .untraced: return Self.below(url, CurlTransport())
    case .untracedWithHeader: return Self.below(url, CurlTransport(), Self.header)
    case .sampledOut: return Self.below(url, CurlTransport(), tracing: Self.out(exporter))
    case .sampledIn: return Self.below(url, CurlTransport(), tracing: SpanTracer(exporter))
    case .observed: return Self.below(url, CurlTransport()) { $0.observer = { _ in } }
    case .inspected:
      let inspector = Inspector()
      return Self.below(url, CurlTransport()) { $0.inspect(with: inspector) }
    case .watched:
      let inspector = Inspector()
      Self.follow(inspector)
      return Self.below(url, CurlTransport()) { $0.inspect(with: inspector) }
    case .sessionUntraced: return Self.below(url, URLSessionTransport(session: session))
    case .sessionUntracedWithHeader:
      return Self.below(url, URLSessionTransport(session: session), Self.header)
    case .sessionSampledOut:
      return Self.below(
        url, URLSessionTransport(session: session), tracing: Self.out(exporter))
    case .sessionSampledIn:
      return Self.below(
        url, URLSessionTransport(session: session), tracing: SpanTracer(exporter))
    case .curlData: return Self.through([], CurlTransport(), Resource.data(url))
    case .libcurl: preconditionFailure("it has a loop of its own")
    case .cache: return Self.cached(HTTPCache(.memory()), url)
    case .cacheFile:
      let name = "loads-\(ProcessInfo.processInfo.processIdentifier).sqlite"
      let file = FileManager.default.temporaryDirectory.appending(path: name)
      return Self.cached(HTTPCache(.sqlite(file)), url)
    }
  }

  /// Loads by path, below a base URL.
  private static func below(
    _ url: URL, _ transport: some Transport, _ headers: Headers = [:],
    tracing: SpanTracer? = nil, _ configure: (inout Client.Configuration) -> Void = { _ in }
  ) -> Load {
    let client = Client(baseURL: url.deletingLastPathComponent()) {
      $0.transport = transport
      $0.headers = headers
      $0.tracer = tracing
      configure(&$0)
    }
    let name = url.lastPathComponent
    return { _ = try await client.load(Resource<Document>(json: .get("/\(name)"))) }
  }

  /// Reads the events for a page.
  private static func follow(_ inspector: Inspector) {
    guard let url = try? inspector.start() else { preconditionFailure("it can't listen") }
    let page = Process()
    page.executableURL = URL(filePath: "/usr/bin/env")
    page.arguments = ["curl", "-sNo", "/dev/null", "\(url)events"]
    do { try page.run() } catch { preconditionFailure("\(error)") }
  }

  private static let header: Headers = [
    "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
  ]

  private static func out(_ exporter: OTLPExporter) -> SpanTracer {
    SpanTracer(exporter, sampling: .never)
  }

  private static func cached(_ cache: HTTPCache, _ url: URL) -> Load {
    let client = Client {
      $0.transport = CurlTransport()
      $0.middleware = [cache]
      // The server says nothing about how long it is fresh.
      $0.options.cachePolicy = .cacheFirst
    }
    return { _ = try await client.load(.data(url)) }
  }

  private static func handwritten(
    _ url: URL, _ session: URLSession, _ decoder: JSONDecoder
  ) -> Load {
    { _ = try await session.decode(Document.self, at: url, with: decoder) }
  }

  private static func callingBack(_ resource: Resource<Document>, _ session: URLSession) -> Load {
    {
      _ = try await withCheckedThrowingContinuation { continuation in
        session.load(resource) { continuation.resume(with: $0) }
      }
    }
  }

  private static func through<R>(
    _ middleware: [any Middleware], _ transport: some Transport, _ resource: Resource<R>
  ) -> Load {
    let client = Client {
      $0.transport = transport
      $0.middleware = middleware
    }
    return { _ = try await client.load(resource) }
  }
}

extension OTLPExporter {
  /// One whose collector takes every document at once. It exports full batches, and the rest when
  /// it is flushed.
  static func patient(_ collector: URL) -> OTLPExporter {
    OTLPExporter(collector, service: "loads") {
      $0.delay = .seconds(3600)
      $0.configureClient = { $0.transport = PatientCollector() }
    }
  }
}

/// A collector that takes every document at once.
private struct PatientCollector: Transport {
  func start(_ request: WireRequest, receiver: any ExchangeReceiver) -> any Exchange {
    receiver.received(ResponseHead(status: .ok))
    receiver.finished(nil)
    return Ended()
  }

  private final class Ended: Exchange {
    func cancel() {}
  }
}
