#if Curl && canImport(CResourceZlib)
  import CResourceZlib
  import Foundation

  /// Removes one content coding with zlib: `gzip` (RFC 1952), or `deflate` with its envelope (RFC 1950) or, as
  /// some servers send it, without. Checksums are checked.
  final class Inflater {
    enum Format {
      case gzip, deflate

      /// - Parameter coding: Its name, in lower case.
      /// - Returns: `nil` if it isn't one of ours.
      init?(coding: Substring) {
        switch coding {
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        default: return nil
        }
      }
    }

    private enum Stage {
      /// Nothing has come, or nothing but the first byte of `deflate`.
      case beginning
      case body
      /// The end of the coded body has come. With `gzip` another one may follow (RFC 1952 section 2.2).
      case end
    }

    private let format: Format
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    /// Whether `stream` is set up.
    private var isReady = false
    private var stage = Stage.beginning
    private var input = Data()
    private let output = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: pieceSize)
    /// How many bytes have come out.
    private(set) var outputSize = 0

    /// How many bytes come out at a time, at most: 64 KiB.
    static let pieceSize = 64 << 10

    init(_ format: Format) {
      self.format = format
      stream.initialize(to: z_stream())
    }

    deinit {
      if isReady { inflateEnd(stream) }
      stream.deallocate()
      output.deallocate()
    }
  }

  extension Inflater {
    /// Whether the body may end here: nothing has come, or all of it.
    var isAtEnd: Bool {
      switch stage {
      case .beginning: input.isEmpty
      case .body: false
      case .end: true
      }
    }

    /// Takes the next bytes, once ``next()`` has used those before.
    func feed(_ bytes: Data) { input = input.isEmpty ? bytes : input + bytes }

    /// Decodes some of what has come.
    ///
    /// - Returns: Up to ``pieceSize`` bytes; `nil` if there are none until more comes.
    /// - Throws: `LoadError` if the coding is broken.
    func next() throws(LoadError) -> Data? {
      while try begin() {
        let (code, output) = inflateOnce()
        switch code {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: stage = .end
        case Z_NEED_DICT: throw .brokenCoding("it needs a dictionary")
        case Z_MEM_ERROR: throw .brokenCoding("there is no memory to remove it")
        default: throw .brokenCoding(reason)
        }
        outputSize += output.count
        if !output.isEmpty { return output }
        if code == Z_BUF_ERROR { return nil }
      }
      return nil
    }

    /// What zlib says.
    private var reason: String {
      stream.pointee.msg.map { String(cString: $0) } ?? "it can't be decoded"
    }

    /// Gets zlib ready for what has come.
    ///
    /// - Returns: Whether there is anything to decode.
    private func begin() throws(LoadError) -> Bool {
      switch stage {
      case .body: return true
      case .beginning:
        guard let windowBits else { return false }
        try setUp(windowBits)
      case .end:
        guard !input.isEmpty else { return false }
        guard format == .gzip else { throw .brokenCoding("something follows its end") }
        inflateReset(stream)
      }
      stage = .body
      return true
    }

    /// How zlib is told the format, by the first bytes (RFC 1950 section 2.2); `nil` if they aren't there yet.
    private var windowBits: Int32? {
      guard format == .deflate else { return input.isEmpty ? nil : MAX_WBITS + 16 }
      guard input.count >= 2 else { return nil }
      let (method, flags) = (Int(input[input.startIndex]), Int(input[input.startIndex + 1]))
      let hasEnvelope = method & 0x0F == 8 && method >> 4 <= 7 && (method << 8 | flags) % 31 == 0
      return hasEnvelope ? MAX_WBITS : -MAX_WBITS
    }

    private func setUp(_ windowBits: Int32) throws(LoadError) {
      let size = Int32(MemoryLayout<z_stream>.size)
      guard inflateInit2_(stream, windowBits, ZLIB_VERSION, size) == Z_OK else {
        throw .brokenCoding("there is no memory to remove it")
      }
      isReady = true
    }

    private func inflateOnce() -> (code: Int32, output: Data) {
      stream.pointee.next_out = output.baseAddress
      stream.pointee.avail_out = UInt32(output.count)
      let (code, used) = input.withUnsafeBytes { bytes in
        // zlib only reads it, but its type doesn't say so.
        stream.pointee.next_in = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?
          .assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = UInt32(bytes.count)
        let code = inflate(stream, Z_NO_FLUSH)
        return (code, bytes.count - Int(stream.pointee.avail_in))
      }
      input = input.dropFirst(used)
      let count = output.count - Int(stream.pointee.avail_out)
      return (code, Data(output[..<count]))
    }
  }

  extension LoadError {
    static func brokenCoding(_ reason: String) -> LoadError {
      LoadError(.connection, "the body's content coding is broken: \(reason)")
    }
  }
#endif
