import Foundation

// Overloads for what is often written by mistake; their messages say what to write instead. The
// type checker looks at them only where nothing else fits.

extension Client {
  /// Not available: a text that isn't a literal may be no URL.
  @available(
    *, unavailable,
    message: """
      a text that isn't a literal may be no URL: guard let url = URL(string: text), and write \
      Client(baseURL: url)
      """
  )
  @_documentation(visibility: internal)
  public convenience init(
    baseURL: String, _ configure: (inout Configuration) -> Void = { _ in }
  ) {
    self.init(baseURL: URL(string: baseURL), configure)
  }
}

extension Client.Configuration {
  /// Not available: a text that isn't a literal may be no URL.
  @available(
    *, unavailable,
    message: """
      a text that isn't a literal may be no URL: guard let url = URL(string: text), and write \
      Configuration(baseURL: url)
      """
  )
  @_documentation(visibility: internal)
  public init(baseURL: String) { self.init(baseURL: URL(string: baseURL)) }
}
