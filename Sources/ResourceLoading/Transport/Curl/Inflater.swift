#if Curl && canImport(CResourceZlib)
  import CResourceZlib
  import Foundation

  /// Removes one content coding with zlib: `gzip` (RFC 1952), or `deflate` with the zlib header
  /// (RFC 1950) or, as some servers send it, without. Checksums are verified.
  @safe final class Inflater: CodingDecoder {
    enum Format {
      case gzip, deflate
    }

    private enum Stage {
      /// No bytes yet, or only the first one of `deflate`.
      case beginning
      case body
      /// The end of the coded body was decoded. With `gzip`, another member may follow (RFC 1952
      /// section 2.2).
      case end
    }

    private let format: Format
    /// zlib's state, which must not move. Its pointers to input and output are set before each
    /// call.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var stage = Stage.beginning
    private var input = Data()
    private let output = UnsafeMutableBufferPointer<UInt8>.allocate(
      capacity: ContentDecoder.pieceSize)
    private(set) var outputSize = 0

    init(_ format: Format) {
      self.format = format
      unsafe stream.initialize(to: z_stream())
    }

    deinit {
      // Without effect if it wasn't initialised.
      unsafe inflateEnd(stream)
      unsafe stream.deallocate()
      unsafe output.deallocate()
    }
  }

  extension Inflater {
    var isAtEnd: Bool {
      switch stage {
      case .beginning: input.isEmpty
      case .body: false
      case .end: true
      }
    }

    func feed(_ bytes: Data) { input = input.isEmpty ? bytes : input + bytes }

    func next() throws(LoadError) -> Data? {
      while try begin() {
        let (code, output) = inflateOnce()
        switch code {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: stage = .end
        case Z_NEED_DICT: throw .brokenCoding("it needs a dictionary")
        case Z_MEM_ERROR: throw .noMemoryForCoding
        default: throw .brokenCoding(reason)
        }
        outputSize += output.count
        if !output.isEmpty { return output }
        if code == Z_BUF_ERROR { return nil }
      }
      return nil
    }

    private var reason: String {
      unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "it can't be decoded"
    }

    /// Initialises zlib for the next bytes. Returns whether there are bytes to decode.
    private func begin() throws(LoadError) -> Bool {
      switch stage {
      case .body: return true
      case .beginning:
        guard let windowBits else { return false }
        try setUp(windowBits)
      case .end:
        guard !input.isEmpty else { return false }
        guard format == .gzip else { throw .bytesBehindCoding }
        unsafe inflateReset(stream)
      }
      stage = .body
      return true
    }

    /// The parameter of zlib for the format, according to the first bytes (RFC 1950 section 2.2);
    /// `nil` before they arrive.
    private var windowBits: Int32? {
      guard format == .deflate else { return input.isEmpty ? nil : MAX_WBITS + 16 }
      guard input.count >= 2 else { return nil }
      let (method, flags) = (Int(input[input.startIndex]), Int(input[input.startIndex + 1]))
      let hasEnvelope = method & 0x0F == 8 && method >> 4 <= 7 && (method << 8 | flags) % 31 == 0
      return hasEnvelope ? MAX_WBITS : -MAX_WBITS
    }

    private func setUp(_ windowBits: Int32) throws(LoadError) {
      let size = unsafe Int32(MemoryLayout<z_stream>.size)
      guard unsafe inflateInit2_(stream, windowBits, ZLIB_VERSION, size) == Z_OK else {
        throw .noMemoryForCoding
      }
    }

    private func inflateOnce() -> (code: Int32, output: Data) {
      unsafe stream.pointee.next_out = output.baseAddress
      unsafe stream.pointee.avail_out = UInt32(output.count)
      let (code, used) = unsafe input.withUnsafeBytes { bytes in
        // zlib only reads it, but its type doesn't say so.
        unsafe stream.pointee.next_in = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?
          .assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.avail_in = UInt32(bytes.count)
        let code = unsafe inflate(stream, Z_NO_FLUSH)
        return unsafe (code, bytes.count - Int(stream.pointee.avail_in))
      }
      input = input.dropFirst(used)
      let count = unsafe output.count - Int(stream.pointee.avail_out)
      return unsafe (code, Data(output[..<count]))
    }
  }
#endif
