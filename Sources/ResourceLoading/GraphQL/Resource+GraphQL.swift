public import Foundation
import ResourcePrimitives

extension Resource where R: Decodable {
  /// The data of a GraphQL operation: all of it, or an error.
  ///
  /// If the server reports errors, even with partial data, the load fails with a ``LoadError`` of
  /// kind ``LoadError/Kind/graphQL``, with the messages in ``LoadError/serverMessage`` and the
  /// errors in ``LoadError/graphQLErrors``. An error for a status that isn't accepted has both,
  /// too, but its kind is ``LoadError/Kind/status``.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - request: The request; the operation becomes its body.
  ///   - path: The path to the value in the data, keys and 0-based array positions separated by
  ///     dots. By default the value is the whole data.
  ///   - decoder: The decoder; `nil` for the loader's. It is used on several threads at once: don't
  ///     change it afterwards.
  public static func graphQL(
    _ operation: GraphQLOperation, to request: Request, at path: String = "",
    decoder: JSONDecoder? = nil
  ) -> Resource {
    let keys = [PathKey("data")] + [PathKey](path: path)
    return Resource(request.graphQL(operation), parsing: .proportional) { response in
      let result = try response.graphQLErrors()
      guard result.errors.isEmpty else { throw LoadError(result.errors) }
      return try (decoder ?? response.decoder).read(R.self, from: response.body, at: keys)
    }
  }
}

extension Resource {
  /// The result of a GraphQL operation: data, which may be partial, and errors.
  ///
  /// A status that isn't accepted is still an error, with the server's errors in
  /// ``LoadError/graphQLErrors``.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - request: The request; the operation becomes its body.
  ///   - decoder: The decoder; `nil` for the loader's. It is used on several threads at once: don't
  ///     change it afterwards.
  public static func graphQL<Value: Decodable & Sendable>(
    _ operation: GraphQLOperation, to request: Request, decoder: JSONDecoder? = nil
  ) -> Resource where R == GraphQLResponse<Value> {
    Resource(request.graphQL(operation), parsing: .proportional) { response in
      let result = try response.graphQLErrors()
      do {
        let decoder = decoder ?? response.decoder
        let data = try decoder.read(PartialData<Value>.self, from: response.body).data
        return GraphQLResponse(data: data, errors: result.errors, extensions: result.extensions)
      } catch let error as DecodingError {
        var failure = LoadError(decoding: error, of: Value.self, in: response)
        failure.serverMessage = LoadError.message(of: result.errors)
        throw failure
      }
    }
  }
}

private struct PartialData<Value: Decodable & Sendable>: Decodable, Sendable {
  var data: Value?
}

extension Request {
  fileprivate func graphQL(_ operation: GraphQLOperation) -> Request {
    body(.graphQL(operation)).changed {
      $0.headers.imply(.accept, "application/graphql-response+json, application/json;q=0.9")
    }
  }
}

extension Response {
  fileprivate func graphQLErrors() throws -> GraphQLErrors {
    do {
      let result = try GraphQLErrors(body)
      if result.isResult { return result }
    } catch  where status.isSuccess {
      throw error
    } catch {}
    guard status.isSuccess else { throw LoadError(status: self) }
    throw LoadError(
      .parsing, "the body isn't a GraphQL result, because it has neither data nor errors",
      advice: "Check the URL")
  }
}
