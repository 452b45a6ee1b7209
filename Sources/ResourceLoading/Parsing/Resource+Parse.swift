import Foundation

extension Resource {
  /// Reads the value out of an accepted response.
  ///
  /// - Throws: A `LoadError`, or a `CancellationError` if that is what the parser threw.
  func parse(_ response: Response) throws -> R {
    do {
      return try parser(response)
    } catch let error as DecodingError {
      throw LoadError(decoding: error, of: R.self, in: response)
    } catch  where error is LoadError || error is CancellationError {
      throw error
    } catch {
      throw LoadError(parser: error)
    }
  }
}

extension LoadError {
  /// What a parser of the user's threw.
  init(parser error: any Error) {
    self.init(.parsing, "the parser threw \(error)", underlying: error)
  }
}
