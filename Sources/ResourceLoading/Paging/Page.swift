/// A page that was loaded, and how.
public struct Page<R: Sendable>: Sendable {
  /// What the page's resource made of the response.
  public var value: R

  /// The request of this page.
  public var request: Request

  /// The response without its body; `nil` if the loader made the value without one, as a stub may.
  public var response: Response?
}
