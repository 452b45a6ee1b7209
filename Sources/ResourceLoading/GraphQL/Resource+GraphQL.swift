public import Foundation

extension Resource where R: Decodable {
  /// The data of a GraphQL operation: all of it, or an error.
  ///
  /// If the server reports errors, partial data included, the load fails with a ``LoadError`` of kind
  /// ``LoadError/Kind/graphQL`` whose ``LoadError/serverMessage`` has their messages, and whose
  /// ``LoadError/graphQLErrors`` has the errors themselves. So it is with a status that isn't accepted, but
  /// for the kind.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - request: Where it goes; the operation becomes its body.
  ///   - path: Where in the data the value is, as keys and 0-based array positions with dots between. Without
  ///     one it is the whole data.
  ///   - decoder: How to decode it; `nil` leaves it to the loader. It is used on several threads at once:
  ///     don't change it afterwards.
  public static func graphQL(
    _ operation: GraphQL, to request: Request, at path: String = "", decoder: JSONDecoder? = nil
  ) -> Resource {
    let keys = (["data"] + path.split(separator: ".")).map { EnvelopeKey(String($0)) }
    return Resource(request.graphQL(operation), parsing: .proportional) { response in
      let result = try response.graphQLErrors()
      guard result.errors.isEmpty else { throw LoadError(result.errors) }
      let decoder = decoder ?? response.decoder
      return try decoder.read(R.self, from: response.body, at: keys)
    }
  }
}

extension Resource {
  /// The result of a GraphQL operation: what data there is, and the errors.
  ///
  /// A status that isn't accepted is an error all the same; ``LoadError/graphQLErrors`` has what the server
  /// says then.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - request: Where it goes; the operation becomes its body.
  ///   - decoder: How to decode it; `nil` leaves it to the loader. It is used on several threads at once:
  ///     don't change it afterwards.
  public static func graphQL<Value: Decodable & Sendable>(
    _ operation: GraphQL, to request: Request, decoder: JSONDecoder? = nil
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

private struct PartialData<Value: Decodable>: Decodable {
  var data: Value?
}

extension PartialData: JSONReadable where Value == JSONValue {
  init(_ json: JSONValue, at keys: [EnvelopeKey]) throws {
    data = json["data"].flatMap { $0 == .null ? nil : $0 }
  }
}

extension Request {
  /// This request with an operation as its body, and asking for a GraphQL result.
  fileprivate func graphQL(_ operation: GraphQL) -> Request {
    let request = body(.graphQL(operation))
    guard request.headers[.accept] == nil else { return request }
    return request.header(
      .accept, "application/graphql-response+json, application/json;q=0.9")
  }
}

extension Response {
  /// - Throws: `LoadError` of kind `status` if the status isn't a success and the body no GraphQL result,
  ///   which only a request that accepts such a status gets to; `DecodingError` or a `LoadError` of kind
  ///   `parsing` if the body is none.
  fileprivate func graphQLErrors() throws -> GraphQLErrors {
    do {
      let result = try GraphQLErrors(body)
      if result.isResult { return result }
    } catch  where status.isSuccess {
      throw error
    } catch {}
    guard status.isSuccess else { throw LoadError(status: self) }
    throw LoadError(
      .parsing, "there is neither data nor errors in the body, so it is no GraphQL result",
      advice: "Check the URL")
  }
}
