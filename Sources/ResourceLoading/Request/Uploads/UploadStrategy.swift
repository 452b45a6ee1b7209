public import Foundation

/// A protocol by which an upload is resumed: what is sent in each step, and what the answer means.
///
/// Write one for a service with a protocol of its own; ``SessionUploads`` is an example. The library
/// does everything else: it reads the file, waits and repeats after interruptions, believes no
/// offset but the server's, and keeps the state.
///
/// All methods are pure functions, called on any thread.
public protocol UploadStrategy: Sendable {
  /// The name by which an outbox finds the strategy of an upload that an earlier run has begun.
  var name: String { get }

  /// Returns the bytes that go with the request that creates the upload, from 0 on; empty for none.
  ///
  /// - Parameters:
  ///   - upload: The upload.
  ///   - isCareful: Whether the upload must be created before any bytes are sent, because interim
  ///     responses don't arrive or because nothing may be sent twice.
  func firstRange(of upload: UploadState, isCareful: Bool) -> Range<Int>

  /// Returns the request of a step. Its body is set afterwards, and its headers for another origin
  /// are removed.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - upload: The upload.
  ///   - request: The request of the load, without its body. Every step but the first goes to the
  ///     URL of the upload, and so has no conditions, no `Idempotency-Key`, and none of the headers
  ///     that describe the content but `Content-Type`.
  func request(for step: UploadStep, of upload: UploadState, like request: Request) -> Request

  /// Returns the meaning of a response.
  func answer(
    to step: UploadStep, of upload: UploadState, status: Status, headers: Headers
  ) -> UploadAnswer

  /// Returns what an interim response (1xx) tells; `nil`, the default, for nothing.
  func report(status: Status, headers: Headers) -> UploadReport?

  /// Returns the algorithm by which the bytes of a step are hashed into
  /// ``UploadState/contentDigest`` if the caller asks for digests; `nil`, the default, for none.
  var contentDigest: UploadDigest? { get }
}

extension UploadStrategy {
  /// `nil`.
  public func report(status: Status, headers: Headers) -> UploadReport? { nil }

  /// `nil`.
  public var contentDigest: UploadDigest? { nil }
}

/// A step of an upload. Ranges are offsets of bytes, 0-based; the one that ends at
/// ``UploadState/length`` is the last.
public enum UploadStep: Sendable, Hashable {
  /// Creates the upload, with its first bytes.
  case create(Range<Int>)
  /// Asks how many bytes the server has.
  case findOffset
  /// Sends bytes.
  case append(Range<Int>)
  /// Has the server forget the upload.
  case cancel
}

/// The state of an upload, as far as the server has told.
public struct UploadState: Sendable, Hashable, Codable {
  /// The number of bytes in all.
  public internal(set) var length: Int
  /// The URL of the upload, which may let anybody continue it; `nil` before it is created.
  public internal(set) var url: URL?
  /// The number of bytes that the server has.
  public internal(set) var offset = 0
  /// The limits of the server.
  public internal(set) var limits = UploadLimits()
  /// When the server forgets the upload; `nil` if it doesn't say.
  public internal(set) var expires: Date?
  /// The SHA-256 hash of the whole, if the caller asks for digests.
  public internal(set) var digest: Data?
  /// The hash of the bytes of a step, by ``UploadStrategy/contentDigest``.
  public internal(set) var contentDigest: Data?
  /// ``UploadOptions/metadata``.
  public internal(set) var metadata: [String: String] = [:]

  /// Creates the state of an upload that hasn't begun, for tests of a strategy.
  ///
  /// - Parameters:
  ///   - length: The number of bytes in all.
  ///   - url: The URL of the upload; `nil` before it is created.
  ///   - offset: The number of bytes that the server has.
  public init(length: Int, url: URL? = nil, offset: Int = 0) {
    (self.length, self.url, self.offset) = (length, url, offset)
  }
}

extension UploadState: CustomReflectable, CustomStringConvertible {
  /// The progress, without the URL.
  public var description: String { "\(offset) of \(length) bytes" }

  /// Shows the state without the URL and the values of ``metadata``.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "length": length, "offset": offset, "limits": limits, "expires": expires as Any,
        "hasURL": url != nil,
      ])
  }
}

/// The limits that a server has for uploads, in bytes.
public struct UploadLimits: Sendable, Hashable, Codable {
  /// The maximum of the whole; `nil` for any number.
  public var maximumSize: Int?
  /// The minimum of the whole that can be resumed; `nil` for any number.
  public var minimumSize: Int?
  /// The maximum of one request; `nil` for any number.
  public var maximumRequestSize: Int?
  /// The minimum of one request, except for the last; `nil` for any number.
  public var minimumRequestSize: Int?
  /// What the bytes of one request have to be a multiple of, except for the last.
  public var multiple = 1

  /// Creates limits that allow everything.
  public init() {}
}

/// What a response tells about an upload; `nil` for what it doesn't.
public struct UploadReport: Sendable, Hashable {
  /// The reference to the upload, absolute or relative to the URL of the request.
  public var location: String?
  /// The number of bytes that the server has.
  public var offset: Int?
  /// The limits.
  public var limits: UploadLimits?
  /// When the server forgets the upload.
  public var expiry: Expiry?

  /// The end of an upload's life.
  public enum Expiry: Sendable, Hashable {
    /// A point in time.
    case date(Date)
    /// The time that is left.
    case age(Duration)
  }

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - location: The reference to the upload.
  ///   - offset: The number of bytes that the server has.
  ///   - limits: The limits.
  ///   - expiry: When the server forgets the upload.
  public init(
    location: String? = nil, offset: Int? = nil, limits: UploadLimits? = nil, expiry: Expiry? = nil
  ) {
    (self.location, self.offset, self.limits, self.expiry) = (location, offset, limits, expiry)
  }
}

extension UploadReport: CustomReflectable {
  /// Shows the report without the location.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "hasLocation": location != nil, "offset": offset as Any, "limits": limits as Any,
        "expiry": expiry as Any,
      ])
  }
}

/// The meaning of a response in an upload.
public enum UploadAnswer: Sendable, Hashable {
  /// The server has a part. Without an offset it is asked for it.
  case incomplete(UploadReport)
  /// The server has everything, and this is its response to the upload.
  case complete
  /// The request failed in a way that may pass: the server is asked how much it has.
  case interrupted(UploadReport)
  /// The server doesn't know the upload, or no longer.
  case gone
  /// The upload can't go on, and this is the response to it.
  case refused(UploadReport)
}

/// An algorithm of a digest.
public enum UploadDigest: String, Sendable, Hashable {
  /// SHA-1 (FIPS 180-4), which every tus server with checksums knows. It finds errors of
  /// transmission, and no forgeries.
  case sha1
  /// SHA-256 (FIPS 180-4).
  case sha256
}

extension Status {
  /// Whether an upload may go on after asking for the offset.
  var interruptsUpload: Bool { Status.transient.contains(self) || isServerError }
}
