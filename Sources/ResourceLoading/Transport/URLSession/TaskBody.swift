import Dispatch
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a task of a `URLSession` sends as its body: bytes in memory, or a file that is read while it is sent.
struct TaskBody: Sendable {
  private let data: Data?
  private let file: URL?
  /// The file, if it was made for this; it goes with the last copy.
  private let spool: Spool?

  /// - Throws: `LoadError` if a file can't be read, or there is no room for a copy of the body.
  private init(_ body: WireBody?) throws {
    guard let body, body.hasFiles else {
      (data, file, spool) = (try body?.data(), nil, nil)
      return
    }
    if let whole = body.wholeFile {
      (data, file, spool) = (nil, whole, nil)
      return
    }
    let spool = try Spool(copying: body)
    (data, file, self.spool) = (nil, spool.file, spool)
  }
}

extension TaskBody {
  /// Makes a body ready and goes on on the ``SessionTaskQueue``. What has to be copied first holds up no other task.
  static func prepare(
    _ body: WireBody?, _ goOn: @escaping @Sendable (Result<TaskBody, any Error>) -> Void
  ) {
    guard body?.hasFiles ?? false else {
      return SessionTaskQueue.run { goOn(Result { try TaskBody(body) }) }
    }
    DispatchQueue.global().async {
      let ready = Result { try TaskBody(body) }
      SessionTaskQueue.runLater { goOn(ready) }
    }
  }

  /// A task of a session with a delegate.
  func task(for request: URLRequest, in session: URLSession) -> URLSessionDataTask {
    if let file { return session.uploadTask(with: request, fromFile: file) }
    return session.dataTask(with: adding(to: request))
  }

  /// A task of any session.
  func task(
    for request: URLRequest, in session: URLSession,
    _ completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    if let file {
      return session.uploadTask(with: request, fromFile: file, completionHandler: completion)
    }
    return session.dataTask(with: adding(to: request), completionHandler: completion)
  }

  private func adding(to request: URLRequest) -> URLRequest {
    guard let data else { return request }
    var request = request
    request.httpBody = data
    return request
  }
}

extension WireBody {
  /// Whether files are read for it.
  var hasFiles: Bool {
    segments.contains { if case .file = $0 { true } else { false } }
  }

  /// The file that it is, and nothing else; `nil` if it has to be put together.
  ///
  /// On Linux an upload task takes a link's own length for that of what it leads to, so links are followed here.
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
