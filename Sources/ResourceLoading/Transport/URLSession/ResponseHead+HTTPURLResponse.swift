#if URLSession || !os(Linux)
  import Foundation
  import ResourcePrimitives

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  extension ResponseHead {
    /// Creates the head of a URLSession's response. The session doesn't keep the order of fields, so
    /// they are sorted by name. It joins fields of one name by commas; cookies, which can't be read
    /// in that form, are separated again.
    init(_ response: HTTPURLResponse) {
      status = Status(rawValue: response.statusCode)
      let fields = response.fields.sorted { $0.name.rawValue < $1.name.rawValue }
      headers = Headers(fields.flatMap { $0.name == .setCookie ? Self.cookies($0) : [$0] })
    }

    /// Creates the head of the response to a task.
    init(_ response: HTTPURLResponse, of task: URLSessionTask?) throws(LoadError) {
      self.init(response)
      guard status.hasBody, task?.originalRequest?.httpMethod != "HEAD" else { return }
      try checkLength()
    }

    /// Returns a field for each cookie. One begins after a comma if a name and an equals sign follow;
    /// dates have commas too.
    private static func cookies(_ field: Headers.Field) -> [Headers.Field] {
      var (cookies, current) = ([String](), "")
      for piece in field.value.parts(between: ",", omittingEmpty: false) {
        let name = piece.unicodeScalars.prefix { $0 != "=" && $0 != ";" }
        let isCookie =
          piece.unicodeScalars[name.endIndex...].first == "="
          && Substring(name).trimmingSpaces().isToken
        if isCookie || current.isEmpty {
          if !current.isEmpty { cookies.append(current) }
          current = String(piece)
        } else {
          current += "," + piece
        }
      }
      return (cookies + [current]).map { Headers.Field(field.name, $0.trimmingSpaces()) }
    }
  }

  extension HTTPURLResponse {
    /// The header fields, in no particular order.
    fileprivate var fields: [Headers.Field] {
      allHeaderFields.map { name, value in
        Headers.Field(
          Headers.Name(rawValue: name.base as? String ?? "\(name.base)"),
          value as? String ?? "\(value)")
      }
    }
  }
#endif
