/// The parameters of `permessage-deflate` that were agreed on (RFC 7692 section 7.1).
package struct WebSocketCompression: Sendable, Hashable {
  /// Whether the other side compresses each message on its own.
  package var othersMessagesStandAlone = false
  /// Whether this side has to compress each message on its own.
  package var ownMessagesStandAlone = false
  /// The logarithm of the largest window that this side may use: 8 to 15.
  package var ownWindowBits = 15

  package init() {}

  /// Whether messages can be compressed on this platform.
  package static var isAvailable: Bool {
    #if Curl && canImport(CResourceZlib)
      true
    #else
      false
    #endif
  }
}

#if Curl && canImport(CResourceZlib)
  import CResourceZlib

  /// What ends each compressed message, and isn't sent (RFC 7692 section 7.2.1).
  private let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

  /// A stream of zlib, which begins with its first use: an idle socket needs no memory for it.
  @safe private final class DeflateStream {
    let stream: UnsafeMutablePointer<z_stream>
    private let end: (UnsafeMutablePointer<z_stream>) -> Void

    /// - Parameters:
    ///   - begin: Initialises the stream, and returns zlib's code.
    ///   - end: Frees what zlib has allocated.
    init?(
      _ begin: (UnsafeMutablePointer<z_stream>) -> Int32,
      end: @escaping (UnsafeMutablePointer<z_stream>) -> Void
    ) {
      unsafe stream = .allocate(capacity: 1)
      unsafe stream.initialize(to: z_stream())
      unsafe self.end = end
      // This object is complete, so that it is freed by `deinit` in any case.
      guard unsafe begin(stream) == Z_OK else { return nil }
    }

    deinit {
      unsafe end(stream)
      unsafe stream.deallocate()
    }

    /// Has zlib work on bytes until it has used them and has no more to say.
    ///
    /// - Parameters:
    ///   - bytes: The bytes, which zlib only reads.
    ///   - work: Calls zlib.
    ///   - take: Gets the output, piece by piece.
    /// - Returns: The code of zlib, and the number of bytes that it hasn't used.
    func run(
      _ bytes: ArraySlice<UInt8>, _ work: (UnsafeMutablePointer<z_stream>) -> Int32,
      take: (ArraySlice<UInt8>) -> Bool
    ) -> (code: Int32, rest: Int) {
      var input = Array(bytes)
      var output = [UInt8](repeating: 0, count: 16 << 10)
      return unsafe input.withUnsafeMutableBufferPointer { input in
        unsafe stream.pointee.next_in = input.baseAddress
        unsafe stream.pointee.avail_in = UInt32(input.count)
        while true {
          let code = unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe stream.pointee.next_out = output.baseAddress
            unsafe stream.pointee.avail_out = UInt32(output.count)
            return unsafe work(stream)
          }
          let room = unsafe Int(stream.pointee.avail_out)
          let rest = unsafe Int(stream.pointee.avail_in)
          let goesOn = take(output.prefix(output.count - room))
          guard code == Z_OK, goesOn, room == 0 || rest > 0 else { return (code, rest) }
        }
      }
    }
  }

  /// Decompresses the messages of a socket, one after another.
  package final class WebSocketInflater {
    private let standsAlone: Bool
    private var stream: DeflateStream?

    package init(_ agreement: WebSocketCompression) {
      standsAlone = agreement.othersMessagesStandAlone
    }

    /// Returns a message.
    ///
    /// - Parameter limit: The maximum number of its bytes.
    func inflate(_ bytes: [UInt8], limit: Int) throws(WebSocketViolation) -> [UInt8] {
      if standsAlone { stream = nil }
      if stream == nil {
        stream = unsafe DeflateStream(
          { unsafe inflateInit2_($0, -MAX_WBITS, ZLIB_VERSION, size) },
          end: { _ = unsafe inflateEnd($0) })
      }
      guard let stream else { throw WebSocketViolation(.internalError, "there is no memory") }
      let most = min(limit, Self.maximumSize(of: bytes.count))
      var message: [UInt8] = []
      let (code, unused) = unsafe stream.run(
        (bytes + tail)[...], { unsafe zlibInflate($0) },
        take: { piece in
          message += piece
          return message.count <= most
        })
      guard message.count <= limit else { throw .tooLarge(limit) }
      guard message.count <= most else { throw .outOfProportion }
      guard unused == 0, code == Z_OK || code == Z_BUF_ERROR else {
        throw WebSocketViolation(.invalidData, "a message can't be decompressed")
      }
      return message
    }

    /// The maximum size of a message that was sent as some bytes, as of a body that was. It counts
    /// for each message alone: equal messages of some kilobytes, of which all but the first take a
    /// few bytes, are nothing unusual.
    fileprivate static func maximumSize(of count: Int) -> Int {
      max(ContentDecoder.freeSize, count * ContentDecoder.maximumRatio)
    }
  }

  extension WebSocketViolation {
    fileprivate static let outOfProportion = WebSocketViolation(
      .messageTooBig,
      "a message is more than \(ContentDecoder.maximumRatio) times as large as what was sent for it"
    )
  }

  /// Compresses the messages of a socket, one after another.
  package final class WebSocketDeflater {
    private let agreement: WebSocketCompression
    private var stream: DeflateStream?

    package init(_ agreement: WebSocketCompression) { self.agreement = agreement }

    /// Returns a compressed message; `nil` if it has to be sent as it is.
    func deflate(_ bytes: [UInt8]) -> [UInt8]? {
      // zlib can't do with the smallest window.
      guard agreement.ownWindowBits > 8 else { return nil }
      if agreement.ownMessagesStandAlone { stream = nil }
      if stream == nil {
        let bits = Int32(agreement.ownWindowBits)
        stream = unsafe DeflateStream(
          {
            unsafe deflateInit2_(
              $0, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -bits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
              size)
          }, end: { _ = unsafe deflateEnd($0) })
      }
      var compressed: [UInt8] = []
      let code = unsafe stream?.run(
        bytes[...], { unsafe zlibDeflate($0) },
        take: { piece in
          compressed += piece
          return true
        }
      ).code
      // The other side may have limits like those of this one. What comes next doesn't refer to a
      // message that wasn't sent like this.
      guard code == Z_OK || code == Z_BUF_ERROR, compressed.suffix(4) == tail[...],
        compressed.count - 4 < bytes.count,
        bytes.count <= WebSocketInflater.maximumSize(of: compressed.count - 4)
      else {
        stream = nil
        return nil
      }
      return compressed.dropLast(4)
    }
  }

  private let size = unsafe Int32(MemoryLayout<z_stream>.size)

  private func zlibInflate(_ stream: UnsafeMutablePointer<z_stream>) -> Int32 {
    let code = unsafe inflate(stream, Z_SYNC_FLUSH)
    // A block may say that it is the last one, and others follow (section 7.2.3.4).
    return unsafe code == Z_STREAM_END ? inflateReset(stream) : code
  }

  private func zlibDeflate(_ stream: UnsafeMutablePointer<z_stream>) -> Int32 {
    unsafe deflate(stream, Z_SYNC_FLUSH)
  }
#else
  /// Decompresses nothing: compression isn't offered on this platform.
  package final class WebSocketInflater {
    package init?(_ agreement: WebSocketCompression) { nil }

    func inflate(_ bytes: [UInt8], limit: Int) throws(WebSocketViolation) -> [UInt8] {
      throw .protocolError("a message is compressed")
    }
  }

  /// Compresses nothing: compression isn't offered on this platform.
  package final class WebSocketDeflater {
    package init?(_ agreement: WebSocketCompression) { nil }

    func deflate(_ bytes: [UInt8]) -> [UInt8]? { nil }
  }
#endif
