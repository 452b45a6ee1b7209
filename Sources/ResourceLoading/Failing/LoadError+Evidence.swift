public import Foundation

extension LoadError {
  /// What a server answered, as evidence: secrets are replaced in all of it.
  public struct ReceivedResponse: Sendable, Hashable {
    /// The URL that answered, its secrets replaced.
    public var url: String
    /// The status.
    public var status: Status
    /// The headers, their secrets replaced.
    public var headers: Headers
    /// The first 64 KiB of the decoded body; secrets of the request that it repeats are replaced.
    public var body: Data
    /// How many bytes the whole decoded body had.
    public var bodySize: Int
  }

  /// One exchange with a server.
  public struct Attempt: Sendable, Hashable {
    /// The method.
    public var method: Request.Method
    /// The URL, its secrets replaced.
    public var url: String
    /// What came of it: `302 Found`, or the reason of a failure.
    public var outcome: String
  }

  /// Where parsing failed.
  public struct ParsingFailure: Sendable, Hashable {
    /// The way to the place in the document, such as `items[3].author.name`; empty at the root.
    public var path: String
    /// The Swift type that was wanted there, or `nil` where it isn't known.
    public var expectedType: String?
    /// The 1-based line, or `nil` where the place isn't known.
    public var line: Int?
    /// The 1-based column in characters, or `nil` where the place isn't known.
    public var column: Int?
    /// The text around the place, on one line, at most some 80 characters.
    public var snippet: String?

    /// Makes the record of a failure.
    ///
    /// - Parameters:
    ///   - path: The way to the place in the document.
    ///   - expectedType: The Swift type that was wanted there.
    ///   - line: The 1-based line.
    ///   - column: The 1-based column.
    ///   - snippet: The text around the place.
    public init(
      path: String, expectedType: String? = nil, line: Int? = nil, column: Int? = nil,
      snippet: String? = nil
    ) {
      self.path = path
      self.expectedType = expectedType
      self.line = line
      self.column = column
      self.snippet = snippet
    }
  }
}
