extension LoadError {
  /// The status of the server's response, if there was one, whatever the kind of the error: also
  /// for a 401, whose kind is ``Kind/authentication``, and for a body that couldn't be read.
  public var status: Status? { response?.status }
}

extension LoadError {
  /// Creates the error for a response whose status isn't accepted; that of a cache without a
  /// network has the reason itself.
  package init(status response: Response) {
    if let cause = response.details.cause {
      self = cause
      return
    }
    let status = response.status
    let remark = response.details.remark.map { " and \($0)" } ?? ""
    self.init(
      status == .unauthorized ? .authentication : .status,
      "the server answered \(status)" + remark,
      advice: Self.advice(for: status))
    serverMessage = ServerMessage.find(in: response)
  }

  private static func advice(for status: Status) -> String? {
    switch status.rawValue {
    case 300..<400: "Accept this status in options.acceptedStatuses, or let redirects be followed"
    case 401: "Send valid credentials"
    case 403: "The credentials aren't allowed to do this"
    case 404, 410: "Check the URL and its identifiers"
    case 405: "Use a method that the Allow header names"
    case 408, 425, 429, 500, 502, 503, 504: "Try again later"
    case 413: "Send less at once"
    default: nil
    }
  }
}
