#if URLSession || !os(Linux)
  import Dispatch
  import Foundation
  import ResourcePrimitives

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  extension URLRequest {
    /// Creates the request for a task of a session, without the body, which is in ``TaskBody``.
    /// Without an `idleTimeout` that of the session applies.
    init(_ request: WireRequest, in session: URLSession, idleTimeout: Duration? = nil) {
      self.init(url: request.url)
      // GET is the default; setting it costs as much as a header.
      if request.method != .get { httpMethod = request.method.rawValue }
      let configuration = session.configuration
      cachePolicy = configuration.requestCachePolicy
      timeoutInterval = Self.timeoutInterval(
        idleTimeout?.seconds ?? configuration.timeoutIntervalForRequest)
      let additional = configuration.httpAdditionalHeaders ?? [:]
      if additional.isEmpty {
        // Set one by one they would be checked again on Linux, at a hundredth of a load each.
        allHTTPHeaderFields = request.headers.fieldsByName
      } else {
        // In the spelling of URLSession: otherwise the session's headers may replace them.
        let said = Set(additional.keys.compactMap { ($0 as? String)?.lowercased() })
        for field in request.headers {
          if field.isImplied, said.contains(field.name.rawValue.lowercased()) { continue }
          addValue(field.value, forHTTPHeaderField: field.name.rawValue)
        }
      }
      #if !canImport(FoundationNetworking)
        let access = request.networkAccess
        if let isAllowed = access.cellular { allowsCellularAccess = isAllowed }
        if let isAllowed = access.constrained { allowsConstrainedNetworkAccess = isAllowed }
        if let isAllowed = access.expensive { allowsExpensiveNetworkAccess = isAllowed }
      #endif
      // The session's cookies would replace these.
      if request.headers[.cookie] != nil { httpShouldHandleCookies = false }
    }

    /// Returns a time limit in whole seconds: on Linux URLSession drops fractions, so that half a
    /// second becomes none, and `infinity` crashes the process.
    private static func timeoutInterval(_ seconds: TimeInterval) -> TimeInterval {
      seconds > 0 && seconds < longestTimeout ? seconds.rounded(.up) : noTimeout
    }

    /// A week in seconds: longer limits count as none.
    private static let longestTimeout: TimeInterval = 604_800

    /// The seconds that stand for no limit.
    ///
    /// On Linux every line of a head and every piece of a body restarts a task's timer, mostly by
    /// waking the thread of all timers. It isn't woken for a limit that is longer than it can count.
    static var noTimeout: TimeInterval {
      #if canImport(FoundationNetworking)
        10_000_000_000_000
      #else
        longestTimeout
      #endif
    }
  }

  extension Headers {
    /// The values by their names, each name in the spelling that comes first.
    fileprivate var fieldsByName: [String: String] {
      var values: [String: String] = [:]
      for (index, field) in enumerated()
      where !self[..<index].contains(where: { $0.name == field.name }) {
        values[field.name.rawValue] = self[field.name]
      }
      return values
    }
  }

  /// What a task of a `URLSession` sends as its body.
  enum TaskBody: Sendable {
    /// Bytes; `nil` for no body.
    case data(Data?)
    /// A file that is read while it is sent. If it was made for this task, it is removed with the
    /// last reference to `copy`.
    case file(URL, copy: Spool?)
  }

  extension TaskBody {
    /// Prepares a body and continues on the ``SessionTaskQueue``. Copying doesn't delay other tasks.
    static func prepare(
      _ body: WireBody?, _ next: @escaping @Sendable (Result<TaskBody, any Error>) -> Void
    ) {
      guard let body, body.hasFiles else {
        return SessionTaskQueue.run { next(Result { TaskBody.data(try body?.data()) }) }
      }
      DispatchQueue.global().async {
        let ready = Result { try TaskBody(readingFilesOf: body) }
        SessionTaskQueue.run { next(ready) }
      }
    }

    private init(readingFilesOf body: WireBody) throws {
      if let whole = body.wholeFile {
        self = .file(whole, copy: nil)
      } else {
        let copy = try Spool(copying: body)
        self = .file(copy.file, copy: copy)
      }
    }

    func task(
      for request: URLRequest, in session: URLSession,
      _ completion: (@Sendable (Data?, URLResponse?, (any Error)?) -> Void)? = nil
    ) -> URLSessionDataTask {
      switch (self, completion) {
      case (.data(let data), let completion?):
        session.dataTask(with: request.adding(data), completionHandler: completion)
      case (.data(let data), nil):
        session.dataTask(with: request.adding(data))
      case (.file(let file, _), let completion?):
        session.uploadTask(with: request, fromFile: file, completionHandler: completion)
      case (.file(let file, _), nil):
        session.uploadTask(with: request, fromFile: file)
      }
    }
  }

  extension URLRequest {
    fileprivate func adding(_ body: Data?) -> URLRequest {
      guard let body else { return self }
      var request = self
      request.httpBody = body
      return request
    }
  }

  extension WireBody {
    /// The file that it is, and nothing else; `nil` if it has to be put together.
    ///
    /// On Linux an upload task takes a link's own length for that of what it leads to, so links are
    /// followed here.
    fileprivate var wholeFile: URL? {
      guard segments.count == 1, case .file(let url, let range) = segments[0],
        range.lowerBound == 0
      else { return nil }
      let file = url.resolvingSymlinksInPath()
      let attributes = try? FileManager.default.attributesOfItem(
        atPath: file.path(percentEncoded: false))
      guard attributes?[.type] as? FileAttributeType == .typeRegular,
        (attributes?[.size] as? NSNumber)?.intValue == range.upperBound
      else { return nil }
      return file
    }
  }
#endif
