/// The pages of a list that a server sends in parts; see
/// ``Loader/pages(of:by:options:)-(Resource<R>,_,_)``.
public struct Pages<R: Sendable>: AsyncSequence, Sendable {
  /// The value of a page.
  public typealias Element = R

  let resource: Resource<R>
  let pagination: Pagination<R>
  let options: PagingOptions
  let load: @Sendable (Resource<R>) async throws -> R

  /// Begins at the first page. The iterator's first call of `next()` loads it.
  public func makeAsyncIterator() -> Iterator { Iterator(loads: PageLoads(self)) }

  /// Returns the pages in order. A load that reads ahead is cancelled when the last copy of the
  /// iterator is released.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let loads: PageLoads<R>

    /// Whether the pages returned so far are all there are.
    package var isAtEnd: Bool { loads.isAtEnd }

    /// Returns the next page.
    ///
    /// - Returns: `nil` after the last one, and after an error.
    /// - Throws: The load's ``LoadError``, or one of kind ``LoadError/Kind/paging`` if the next
    ///   page can't be determined; `CancellationError` if the calling task is cancelled.
    public mutating func next() async throws -> R? {
      try await loads.next()?.value
    }

    /// Returns the next page together with its request.
    package mutating func nextPage() async throws -> Page<R>? { try await loads.next() }
  }
}

/// A page that was loaded.
public struct Page<R: Sendable>: Sendable {
  /// The value that the page's resource created from the response.
  public var value: R

  /// The request of this page.
  public var request: Request

  /// The response without its body; `nil` if the loader had none, as with a stub.
  public var response: Response?
}

extension Pages {
  /// The elements of all pages, one after another. The next page is read ahead while those of
  /// this one are processed.
  ///
  /// - Parameter elements: Finds the elements in a page: a key path or a function.
  public func elements<S: Sequence>(
    _ elements: @escaping @Sendable (R) -> S
  ) -> PageElements<R, S> {
    PageElements(pages: self, elements: elements)
  }
}

extension Pages where R: Sequence {
  /// The elements of all pages, one after another. The next page is read ahead while those of
  /// this one are processed.
  public var elements: PageElements<R, R> { elements { $0 } }
}

/// The elements of pages, one after another; see ``Pages/elements(_:)``.
public struct PageElements<R: Sendable, S: Sequence>: AsyncSequence, Sendable {
  /// An element of a page.
  public typealias Element = S.Element

  fileprivate let pages: Pages<R>
  fileprivate let elements: @Sendable (R) -> S

  /// Begins at the first element of the first page.
  public func makeAsyncIterator() -> Iterator {
    Iterator(pages: pages.makeAsyncIterator(), elements: elements)
  }

  /// Returns the elements in order.
  public struct Iterator: AsyncIteratorProtocol {
    private var pages: Pages<R>.Iterator
    private let elements: @Sendable (R) -> S
    private var current: S.Iterator?

    fileprivate init(pages: Pages<R>.Iterator, elements: @escaping @Sendable (R) -> S) {
      self.pages = pages
      self.elements = elements
    }

    /// Returns the next element, of this page or of the next one that has any.
    ///
    /// - Returns: `nil` after the last one, and after an error.
    /// - Throws: What loading a page throws: a ``LoadError``, or `CancellationError` if the calling
    ///   task is cancelled.
    public mutating func next() async throws -> S.Element? {
      while true {
        if let element = current?.next() { return element }
        guard let page = try await pages.next() else { return nil }
        current = elements(page).makeIterator()
      }
    }
  }
}

/// The options of a sequence of pages.
public struct PagingOptions: Sendable, Hashable {
  /// The maximum number of pages to load; `nil` for all of them.
  public var maximumPages: Int?

  /// Whether the next page may be at another origin (RFC 6454: scheme, host and port) than the one
  /// before. If so, its request has no credentials and cookies of the request before, and it never
  /// uses http after https. Otherwise such a page ends the sequence with an error.
  public var allowsOtherOrigins = false

  /// Whether a page loads while the one before is processed.
  public var readsAhead = true

  /// Loads all pages of one origin, reading ahead.
  public init() {}
}

extension Loader {
  /// The pages of a resource, loaded one after another as the iteration needs them.
  ///
  /// ```swift
  /// for try await users in loader.pages(of: .users, by: .link) {
  ///   print(users.count)
  /// }
  /// ```
  ///
  /// Loading begins with the iteration; a second iteration loads again. The next page loads while
  /// one is processed; leaving the loop cancels that load. A page that can't be loaded ends the
  /// sequence with its error. So does a next page that was already loaded or is at another origin.
  ///
  /// - Parameters:
  ///   - resource: The first page. Its parser reads every page.
  ///   - pagination: The way from one page to the next.
  ///   - options: The options.
  public func pages<R>(
    of resource: Resource<R>, by pagination: Pagination<R>, options: PagingOptions = .init()
  ) -> Pages<R> {
    Pages(resource: resource, pagination: pagination, options: options) { try await load($0) }
  }
}
