public import Foundation
import ResourcePrimitives

/// The options of a download: in how many parts it is loaded, what is checked, and what stays.
public struct DownloadOptions: Sendable, Hashable {
  /// The number of parts that are loaded at a time. By default one.
  public var parts = Parts.one

  /// The digest that the complete file must have; `nil`, the default, for any.
  ///
  /// A file with another one fails with a ``LoadError`` of kind ``LoadError/Kind/digest`` and never
  /// appears. If the file is there already and has this digest, nothing is loaded: the
  /// ``Download/response`` is a 304 then.
  ///
  /// Digests that the server announces by `Repr-Digest`, `Content-Digest` (RFC 9530) or `Digest`
  /// are checked as well, without any option.
  public var digest: Digest?

  /// The number of bytes that the complete file must have; `nil`, the default, for any number.
  ///
  /// A file with another one fails as with ``digest``. Without a digest, a file that is there
  /// already and has this size isn't loaded again.
  public var size: Int?

  /// Further URLs of the same content, from which parts are loaded that stalled or failed at the
  /// first one. They are used by downloads in parts only.
  ///
  /// A part from elsewhere counts only if it has the size and either the entity tag or an announced
  /// digest of the first, or if there is a ``digest`` by which the complete file is checked.
  /// Another origin doesn't get the headers that may not leave that of the request: see
  /// ``Request/Options/crossOriginHeaders``.
  public var mirrors: [URL] = []

  /// The permissions of the file, such as `0o644`; `nil`, the default, for those of the file that
  /// it replaces, or `0o600` if there is none. Until it is complete, only its owner can read it.
  public var permissions: UInt16?

  /// Whether a part stays if the load fails or the process ends, and is completed by the next load
  /// of the same URL into the same file. By default it does.
  public var isResumable = true

  /// Creates the options of a download in one part that can be resumed.
  public init() {}
}

extension DownloadOptions {
  /// Whether there is more to do than writing the body of one response.
  package var needsMoreThanASink: Bool { parts != .one || digest != nil || size != nil }

  /// The number of parts that are loaded at a time.
  public struct Parts: Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// The maximum number; `nil` if it depends on the measured rate.
    package let limit: Int?

    /// One: the whole body comes in one response.
    public static let one: Parts = 1

    /// As many as make the download faster, and one if several don't: up to 8, and at most half of
    /// the client's ``Client/Configuration/maximumRequestsPerHost``.
    public static let automatic = Parts(limit: nil)

    private init(limit: Int?) { self.limit = limit }

    /// Creates a fixed number of parts, at least 1. A client's
    /// ``Client/Configuration/maximumRequestsPerHost`` limits it further.
    public init(integerLiteral count: Int) {
      precondition(count > 0, "a download has at least one part")
      self.init(limit: count)
    }
  }

  /// The digest of a file.
  public struct Digest: Sendable, Hashable {
    package enum Algorithm: Int, Sendable {
      case sha256 = 256
      case sha512 = 512
    }

    package let algorithm: Algorithm
    /// Hexadecimal digits in lower case.
    package let hexadecimal: String

    package init(_ algorithm: Algorithm, _ hexadecimal: String) {
      self.algorithm = algorithm
      self.hexadecimal = hexadecimal.lowercased()
    }

    /// A SHA-256 hash (FIPS 180-4).
    ///
    /// - Parameter hexadecimal: 64 hexadecimal digits. With any other text, loads fail with a
    ///   ``LoadError`` of kind ``LoadError/Kind/invalidRequest``.
    public static func sha256(_ hexadecimal: String) -> Digest { Digest(.sha256, hexadecimal) }

    /// A SHA-512 hash (FIPS 180-4).
    ///
    /// - Parameter hexadecimal: 128 hexadecimal digits. With any other text, loads fail with a
    ///   ``LoadError`` of kind ``LoadError/Kind/invalidRequest``.
    public static func sha512(_ hexadecimal: String) -> Digest { Digest(.sha512, hexadecimal) }
  }
}

extension DownloadOptions: CustomReflectable {
  /// Shows the options without the secrets of URLs.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "parts": parts, "digest": digest as Any, "size": size as Any,
        "mirrors": mirrors.map { $0.absoluteString.redactedURL.printable },
        "permissions": permissions as Any, "isResumable": isResumable,
      ])
  }
}
