public import Foundation

extension Request {
  /// Sets the body.
  ///
  /// - Parameter body: The body; `nil` sends none.
  public func body(_ body: Body?) -> Request {
    changed { $0.body = body }
  }

  /// Sends JSON.
  ///
  /// - Parameters:
  ///   - value: What to encode when the request is made ready to be sent.
  ///   - encoder: How to encode it; `nil` leaves it to whoever loads the request.
  public func json(_ value: some Encodable & Sendable, encoder: JSONEncoder? = nil) -> Request {
    body(.json(value, encoder: encoder))
  }

  /// Sends JSON from a literal, which takes values of several types: `.json(["text": text, "stars": 5])`.
  ///
  /// - Parameters:
  ///   - parameters: The members of the object.
  ///   - encoder: How to encode it; `nil` leaves it to whoever loads the request.
  public func json(_ parameters: Parameters, encoder: JSONEncoder? = nil) -> Request {
    body(.json(parameters, encoder: encoder))
  }

  /// Sends named values as `application/x-www-form-urlencoded`.
  ///
  /// - Parameters:
  ///   - parameters: The values.
  ///   - style: How nested values, arrays, dates and the like are written.
  public func form(_ parameters: Parameters, style: Parameters.Style = .init()) -> Request {
    body(.form(parameters, style: style))
  }

  /// Sends the values of any `Encodable` type as `application/x-www-form-urlencoded`.
  ///
  /// - Parameters:
  ///   - value: The value; it is encoded at once. If that fails, loading the request does.
  ///   - style: How nested values, arrays, dates and the like are written.
  public func form(encoding value: some Encodable, style: Parameters.Style = .init()) -> Request {
    body(.form(encoding: value, style: style))
  }

  /// Sends parts as `multipart/form-data`.
  ///
  /// - Parameter multipart: The parts.
  public func multipart(_ multipart: Multipart) -> Request {
    body(.multipart(multipart))
  }
}
