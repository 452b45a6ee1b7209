import ResourceLoading
import ResourceStore

extension Library {
  /// Opens a library, does something with it, and closes it.
  ///
  /// - Throws: `LibraryError` for what the store throws; anything else that the body throws as it is.
  static func use<R>(_ place: LibraryPlace, _ body: (Library) async throws -> R) async throws -> R {
    do {
      let library = try await Library(place)
      do {
        let result = try await body(library)
        await library.store.close()
        return result
      } catch {
        await library.store.close()
        throw error
      }
    } catch let error as LoadError where error.kind == .store {
      throw LibraryError(place: place, cause: error)
    }
  }
}
