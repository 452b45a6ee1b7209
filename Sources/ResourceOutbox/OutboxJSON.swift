internal import Foundation
import ResourceJSON
internal import ResourceLoading
import ResourceStore

extension Headers {
  /// The fields as lists of a name and a value, for JSON.
  var pairs: [[String]] { map { [$0.name.rawValue, $0.value] } }

  /// Reads such lists; `nil` if one has another length.
  init?(pairs: [[String]]) {
    self.init()
    for pair in pairs {
      guard pair.count == 2 else { return nil }
      append(Name(rawValue: pair[0]), pair[1])
    }
  }
}

struct StoredOptions: Codable {
  var timeout, attemptTimeout, idleTimeout: Duration?
  var throughput: Throughput?
  /// The bounds of the ranges of accepted statuses: each beginning, followed by its end.
  var statuses: [Int]?
  var bodySize, headerSize: Int?
  var redirects: Redirects?
  var isIdempotent, isAuthenticated: Bool?
  var cachePolicy: String?
  var priority: Int?
  var isForCellular, isForConstrained, isForExpensive: Bool?
  var secretNames, crossOriginHeaders: [String]?
  var upload: Upload?

  struct Throughput: Codable {
    var bytes: Int
    var duration: Duration
  }

  struct Upload: Codable {
    var resuming: String
    var change: Int
    var checksContent: Bool
    var maximumFailures: Int
    var metadata: [String: String]
  }

  struct Redirects: Codable {
    var limit: Int
    var staysAtOrigin: Bool
  }
}

extension StoredOptions {
  init(_ options: Request.Options, _ upload: UploadOptions?) {
    self.upload = upload.map {
      Upload(
        resuming: $0.resuming.name, change: $0.change.rawValue, checksContent: $0.checksContent,
        maximumFailures: $0.maximumFailures, metadata: $0.metadata)
    }
    timeout = options.timeout
    attemptTimeout = options.attemptTimeout
    idleTimeout = options.idleTimeout
    throughput = options.minimumThroughput.map {
      Throughput(bytes: $0.bytes, duration: $0.duration)
    }
    statuses = options.acceptedStatuses.map { statuses in
      // No status has more digits, so each range ends.
      let isAccepted = { (code: Int) in code < 1000 && statuses.contains(Status(rawValue: code)) }
      return (0...1000).filter { isAccepted($0) != ($0 > 0 && isAccepted($0 - 1)) }
    }
    bodySize = options.maximumBodySize
    headerSize = options.maximumHeaderSize
    redirects = options.redirects.map {
      Redirects(limit: $0.maximum, staysAtOrigin: $0.staysAtOrigin)
    }
    isIdempotent = options.isIdempotent
    isAuthenticated = options.isAuthenticated
    cachePolicy = options.cachePolicy.flatMap { policy in
      Self.cachePolicies.first { $0.value == policy }?.key
    }
    priority = options.priority?.rawValue
    isForCellular = options.allowsCellularAccess
    isForConstrained = options.allowsConstrainedNetworkAccess
    isForExpensive = options.allowsExpensiveNetworkAccess
    secretNames = options.secretNames?.sorted()
    crossOriginHeaders = options.crossOriginHeaders?.map(\.rawValue).sorted()
  }

  /// How the body is uploaded; with a strategy that isn't known any more, by what the server speaks.
  func upload(_ strategies: [any UploadStrategy]) -> UploadOptions? {
    guard let upload else { return nil }
    let known = strategies + UploadRecord.ownStrategies
    let strategy = known.first { $0.name == upload.resuming }
    var options = UploadOptions(
      resuming: strategy.map { UploadResumption(strategy: $0) } ?? .automatic)
    options.change = UploadOptions.Change(rawValue: upload.change) ?? .fails
    options.checksContent = upload.checksContent
    options.maximumFailures = upload.maximumFailures
    options.metadata = upload.metadata
    return options
  }

  var options: Request.Options {
    var options = Request.Options()
    options.timeout = timeout
    options.attemptTimeout = attemptTimeout
    options.idleTimeout = idleTimeout
    options.minimumThroughput = throughput.flatMap {
      $0.duration > .zero ? Request.Throughput(bytes: $0.bytes, per: $0.duration) : nil
    }
    options.acceptedStatuses = statuses.map { bounds in
      stride(from: 0, to: bounds.count - 1, by: 2).reduce([]) { statuses, index in
        let (start, end) = (bounds[index], bounds[index + 1])
        return start < end ? statuses.union(Request.AcceptedStatuses(start..<end)) : statuses
      }
    }
    options.maximumBodySize = bodySize
    options.maximumHeaderSize = headerSize
    options.redirects = redirects.map {
      var policy = Request.RedirectPolicy.follow(maximum: $0.limit)
      policy.staysAtOrigin = $0.staysAtOrigin
      return policy
    }
    options.isIdempotent = isIdempotent
    options.isAuthenticated = isAuthenticated
    options.cachePolicy = cachePolicy.flatMap { Self.cachePolicies[$0] }
    options.priority = priority.flatMap(Request.Priority.init(rawValue:))
    options.allowsCellularAccess = isForCellular
    options.allowsConstrainedNetworkAccess = isForConstrained
    options.allowsExpensiveNetworkAccess = isForExpensive
    options.secretNames = secretNames.map(Set.init)
    options.crossOriginHeaders = crossOriginHeaders.map {
      Set($0.map(Headers.Name.init(rawValue:)))
    }
    return options
  }

  /// The policies by the names that are stored, which must not change.
  private static let cachePolicies: [String: Request.CachePolicy] = [
    "standard": .standard, "freshOnly": .freshOnly, "reload": .reload,
    "networkOnly": .networkOnly, "cacheFirst": .cacheFirst, "cacheOnly": .cacheOnly,
    "staleWhileRevalidating": .staleWhileRevalidating,
  ]
}

/// A `LoadError` as JSON, with everything in its description. Its secrets were replaced when it was
/// created.
struct StoredLoadError: Codable {
  var kind, reason: String
  var advice, request, serverMessage, underlying: String?
  var response: ReceivedResponse?
  var parsing: ParsingFailure?
  var attempts: [Attempt]

  struct ReceivedResponse: Codable {
    var url: String
    var status: Int
    var headers: [[String]]
    var body: Data
    var bodySize: Int
  }

  struct ParsingFailure: Codable {
    var path: String
    var expectedType: String?
    var line, column: Int?
    var snippet: String?
  }

  struct Attempt: Codable { var method, url, outcome: String }

  struct Underlying: Error, CustomStringConvertible { let description: String }
}

extension StoredLoadError {
  init(_ error: LoadError) {
    kind = error.kind.rawValue
    reason = error.reason
    advice = error.advice
    request = error.curlCommand
    serverMessage = error.serverMessage
    // Its own text isn't redacted, and this is written to a file.
    underlying = error.underlying.map { ($0 as? Underlying)?.description ?? "\(type(of: $0))" }
    response = error.response.map {
      ReceivedResponse(
        url: $0.url, status: $0.status.rawValue, headers: $0.headers.pairs, body: $0.body,
        bodySize: $0.bodySize)
    }
    parsing = error.parsing.map {
      ParsingFailure(
        path: $0.path, expectedType: $0.expectedType, line: $0.line, column: $0.column,
        snippet: $0.snippet)
    }
    attempts = error.attempts.map {
      Attempt(method: $0.method.rawValue, url: $0.url, outcome: $0.outcome)
    }
  }

  var error: LoadError {
    var error = LoadError(
      LoadError.Kind(rawValue: kind), reason, advice: advice,
      underlying: underlying.map(Underlying.init))
    error.curlCommand = request
    error.serverMessage = serverMessage
    error.response = response.map {
      LoadError.ReceivedResponse(
        url: $0.url, status: Status(rawValue: $0.status),
        headers: Headers(pairs: $0.headers) ?? Headers(), body: $0.body, bodySize: $0.bodySize)
    }
    error.parsing = parsing.map {
      LoadError.ParsingFailure(
        path: $0.path, expectedType: $0.expectedType, line: $0.line, column: $0.column,
        snippet: $0.snippet)
    }
    error.attempts = attempts.map {
      LoadError.Attempt(
        method: Request.Method(rawValue: $0.method), url: $0.url, outcome: $0.outcome)
    }
    return error
  }
}

extension LoadError {
  init(stored json: Data) {
    self =
      (try? JSONDecoder().decode(StoredLoadError.self, from: json))?.error
      ?? LoadError(.outbox, "the stored error can't be read")
  }

  var stored: Data { (try? JSONWriter().encode(StoredLoadError(self))) ?? Data() }
}

extension LoadError {
  /// The error for an entry with a damaged row.
  static var damagedEntry: LoadError {
    LoadError(
      .store, "the stored request is damaged", advice: "Correct the entry, or drop it",
      underlying: SQLiteError.corrupt)
  }
}
