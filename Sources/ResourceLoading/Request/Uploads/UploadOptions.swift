public import Foundation

/// The options of an upload that is resumed after an interruption.
public struct UploadOptions: Sendable, Hashable {
  /// The protocol.
  public var resuming: UploadResumption

  /// What becomes of an upload whose file changed since it began. Bytes of two versions never meet
  /// in one upload.
  public var change = Change.fails

  /// Whether the file's SHA-256 hash is taken before the upload begins and before it is resumed, so
  /// that a change is noticed that its size, date and identity don't show. The server gets it as
  /// `Repr-Digest` and `Content-Digest` (RFC 9530), or as tus's `Upload-Checksum`. The file is read
  /// once more for that. By default it isn't.
  public var checksContent = false

  /// How often in a row the upload may be interrupted without a byte more on the server, and how
  /// often it may begin anew because its file changed; one more is thrown.
  public var maximumFailures = 5

  /// What the server is told about the file, where the protocol has a place for it: tus's
  /// `Upload-Metadata`, such as `["filename": "a.mov"]`.
  public var metadata: [String: String] = [:]

  /// Keeps the state of the upload beyond this load; `nil` keeps it in memory.
  package var journal: UploadJournal?

  /// Creates options.
  ///
  /// - Parameter resuming: The protocol.
  public init(resuming: UploadResumption = .automatic) { self.resuming = resuming }

  /// What becomes of an upload whose file changed since it began.
  public enum Change: Int, Sendable, Hashable {
    /// The load fails with a ``LoadError`` of kind ``LoadError/Kind/invalidRequest``.
    case fails
    /// A new upload begins, with the file as it is now.
    case beginsAnew
  }
}

extension UploadOptions: CustomReflectable {
  /// Shows the options without the values of ``metadata``.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "resuming": resuming, "change": change, "checksContent": checksContent,
        "maximumFailures": maximumFailures, "metadata": metadata.keys.sorted(),
      ])
  }
}

/// By which protocol an upload is resumed.
public struct UploadResumption: Sendable {
  /// `nil` to find it out.
  package let strategy: (any UploadStrategy)?

  package init(strategy: (any UploadStrategy)?) { self.strategy = strategy }

  /// Whichever the server speaks: it is asked by `OPTIONS`. One that speaks neither tus nor the IETF
  /// protocol gets the request as usual, and may still answer 104, so that it can be resumed.
  public static let automatic = UploadResumption(strategy: nil)

  /// The IETF protocol; see ``ResumableUploads``.
  public static let ietf = UploadResumption(strategy: ResumableUploads())

  /// The tus protocol; see ``TusUploads``.
  public static let tus = UploadResumption(strategy: TusUploads())

  /// A protocol of the program's own, or one with settings.
  public static func using(_ strategy: some UploadStrategy) -> UploadResumption {
    UploadResumption(strategy: strategy)
  }

  /// The name of the strategy; `automatic` if it is found out.
  package var name: String { strategy?.name ?? "automatic" }
}

extension UploadResumption: Hashable {
  /// Returns whether two are the same: whether their strategies have one name.
  public static func == (one: Self, other: Self) -> Bool { one.name == other.name }

  /// Hashes the name of the strategy.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension UploadResumption: CustomStringConvertible {
  /// The name of the strategy.
  public var description: String { name }
}

extension Request {
  /// A request that uploads a file and is resumed after an interruption where the server can.
  ///
  /// ```swift
  /// let stored: Stored = try await client.load(.upload(.post("/files"), file: file))
  /// ```
  ///
  /// The file is sent in one request, from the disk as it is read; in several only if the server's
  /// limits ask for that. After an interruption the server is asked how much it has, and gets the
  /// rest. See <doc:LargeUploads>.
  ///
  /// - Parameters:
  ///   - request: The request, whose body is replaced.
  ///   - file: The URL of a regular file, which must not change until it is uploaded.
  ///   - mediaType: Its media type; `nil` for the client's default `Content-Type`.
  ///   - resuming: The protocol.
  ///   - configure: Changes the other options.
  public static func upload(
    _ request: Request, file: URL, as mediaType: MediaType? = nil,
    resuming: UploadResumption = .automatic, _ configure: (inout UploadOptions) -> Void = { _ in }
  ) -> Request {
    var options = UploadOptions(resuming: resuming)
    configure(&options)
    var request = request
    request.body = .file(file, as: mediaType)
    request.upload = options
    return request
  }
}
