import ResourceLoading

/// A library that can't be used.
struct LibraryError: Error {
  /// Where it is.
  let place: LibraryPlace
  /// What is wrong with it.
  let cause: any Error
}

extension LibraryError {
  /// Does something with a library, and says in its errors which one it was.
  ///
  /// - Throws: `LibraryError` for what the store throws; anything else as it is.
  static func naming<R>(_ place: LibraryPlace, _ body: () async throws -> R) async throws -> R {
    do { return try await body() } catch let error as LoadError where error.kind == .store {
      throw LibraryError(place: place, cause: error)
    }
  }
}
