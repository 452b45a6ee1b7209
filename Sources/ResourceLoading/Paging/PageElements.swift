extension Pages {
  /// The elements of all pages, one after the other; the next page is read ahead while those of this one are
  /// worked on.
  ///
  /// - Parameter elements: Finds the elements in a page: a key path or a function.
  public func elements<S: Sequence>(
    _ elements: @escaping @Sendable (R) -> S
  ) -> PageElements<R, S> {
    PageElements(pages: self, elements: elements)
  }
}

extension Pages where R: Sequence {
  /// The elements of all pages, one after the other; the next page is read ahead while those of this one are
  /// worked on.
  public var elements: PageElements<R, R> { elements { $0 } }
}

/// The elements of pages, one after the other; see ``Pages/elements(_:)``.
public struct PageElements<R: Sendable, S: Sequence>: AsyncSequence, Sendable {
  /// An element of a page.
  public typealias Element = S.Element

  fileprivate let pages: Pages<R>
  fileprivate let elements: @Sendable (R) -> S

  /// Begins at the first element of the first page.
  public func makeAsyncIterator() -> Iterator {
    Iterator(pages: pages.makeAsyncIterator(), elements: elements)
  }

  /// Gives the elements in order.
  public struct Iterator: AsyncIteratorProtocol {
    private var pages: Pages<R>.Iterator
    private let elements: @Sendable (R) -> S
    private var current: S.Iterator?

    fileprivate init(pages: Pages<R>.Iterator, elements: @escaping @Sendable (R) -> S) {
      self.pages = pages
      self.elements = elements
    }

    /// The next element, of this page or of the next one that has any.
    ///
    /// - Returns: `nil` after the last one, and after an error.
    /// - Throws: What loading a page throws: a ``LoadError``, or `CancellationError` if the calling task is
    ///   cancelled.
    public mutating func next() async throws -> S.Element? {
      while true {
        if let element = current?.next() { return element }
        guard let page = try await pages.next() else { return nil }
        current = elements(page).makeIterator()
      }
    }
  }
}
