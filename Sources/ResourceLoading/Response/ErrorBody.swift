public import Foundation
import ResourcePrimitives

/// Reads the body of a response whose status isn't accepted, into the type in which a service
/// describes its errors.
///
/// ```swift
/// let shop = Client(baseURL: url) { $0.errorBody = .json(Refusal.self) }
/// do {
///   try await shop.load(.void(.post("/orders")))
/// } catch let error as LoadError {
///   guard let refusal = error.errorBody(as: Refusal.self) else { throw error }
///   print("The shop refuses: \(refusal.code)")
/// }
/// ```
///
/// A client has one for all of its loads (``Client/Configuration/errorBody``), and a resource may
/// have its own, by `Resource.errorBody(_:)`. A body that can't be read this way, such as the page
/// of a proxy, leaves the error as it is, with ``LoadError/errorBody(as:)`` `nil`.
public struct ErrorBody: Sendable {
  let parser: @Sendable (Response) throws -> any Sendable

  /// Creates a reader of errors.
  ///
  /// - Parameter parser: Reads the error out of a response that isn't accepted, off every serial
  ///   queue. If it throws, the body isn't an error of the service.
  public init(_ parser: @escaping @Sendable (Response) throws -> some Sendable) {
    self.parser = { response in try parser(response) }
  }

  /// Decodes JSON.
  ///
  /// - Parameters:
  ///   - type: The type of the error.
  ///   - path: Where in the document it is, as keys and 0-based array positions separated by dots:
  ///     `error`, `errors.0`. Without one it is the whole document.
  ///   - decoder: The decoder; `nil` for the loader's. It is used on several threads at once: don't
  ///     change it afterwards.
  public static func json<Value: Decodable & Sendable>(
    _ type: Value.Type, at path: String = "", decoder: JSONDecoder? = nil
  ) -> ErrorBody {
    let keys = [PathKey](path: path)
    return ErrorBody { response in
      try (decoder ?? response.decoder).read(type, from: response.body, at: keys)
    }
  }
}
