extension Loader {
  /// The pages of a resource, loaded one after the other as they are asked for.
  ///
  /// ```swift
  /// for try await users in loader.pages(of: .users, by: .link) {
  ///   print(users.count)
  /// }
  /// ```
  ///
  /// Nothing is loaded before the sequence is iterated; iterating it again loads again. While a page is being
  /// worked on, the next one is loaded already; leaving the loop cancels that load. A page that can't be
  /// loaded ends the sequence with its error, and so does a way that leads in a circle or to another origin.
  ///
  /// - Parameters:
  ///   - resource: The first page. The parser reads each page.
  ///   - pagination: The way from one page to the next.
  ///   - options: How many pages, from where, and whether one is read ahead.
  public func pages<R>(
    of resource: Resource<R>, by pagination: Pagination<R>, options: PagingOptions = .init()
  ) -> Pages<R> {
    Pages(resource, by: pagination, options: options) { try await load($0) }
  }

  /// The pages of an endpoint, loaded one after the other as they are asked for.
  ///
  /// - Parameters:
  ///   - endpoint: The first page: a case of a router, a request struct, or anything else with a resource.
  ///   - pagination: The way from one page to the next.
  ///   - options: How many pages, from where, and whether one is read ahead.
  public func pages<E: Endpoint>(
    of endpoint: E, by pagination: Pagination<E.R>, options: PagingOptions = .init()
  ) -> Pages<E.R> {
    pages(of: endpoint.resource, by: pagination, options: options)
  }
}
