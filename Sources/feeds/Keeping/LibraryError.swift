/// A library that can't be used.
struct LibraryError: Error {
  /// Where it is.
  let place: LibraryPlace
  /// What is wrong with it.
  let cause: any Error
}
