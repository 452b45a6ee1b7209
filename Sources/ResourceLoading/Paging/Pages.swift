/// The pages of something that a server gives piece by piece; see ``Loader/pages(of:by:options:)-(Resource<R>,_,_)``.
public struct Pages<R: Sendable>: AsyncSequence, Sendable {
  /// A page, as its resource reads it.
  public typealias Element = R

  private let resource: Resource<R>
  private let pagination: Pagination<R>
  private let options: PagingOptions
  private let load: @Sendable (Resource<R>) async throws -> R

  init(
    _ resource: Resource<R>, by pagination: Pagination<R>, options: PagingOptions,
    load: @escaping @Sendable (Resource<R>) async throws -> R
  ) {
    self.resource = resource
    self.pagination = pagination
    self.options = options
    self.load = load
  }

  /// Begins at the first page, which is loaded as soon as the iterator is asked for it.
  public func makeAsyncIterator() -> Iterator {
    Iterator(loads: PageLoads(resource, by: pagination, options: options, load: load))
  }

  /// Gives the pages in order. A page that is being read ahead is cancelled when the last copy of the
  /// iterator goes.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let loads: PageLoads<R>

    /// The next page.
    ///
    /// - Returns: `nil` after the last one, and after an error.
    /// - Throws: A ``LoadError``: of the load, or of kind ``LoadError/Kind/paging`` if there is no way to the
    ///   next page; `CancellationError` if the calling task is cancelled.
    public mutating func next() async throws -> R? {
      try await loads.next()
    }
  }
}
