#if Curl && canImport(CResourceCurl)
  /// Removes one content coding: `gzip` (RFC 1952), or `deflate` with its envelope (RFC 1950) or, as some
  /// servers send it, without. Checksums are checked.
  final class Decompressor {
    enum Format {
      case gzip, deflate

      init?(_ name: String) {
        switch name {
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        default: return nil
        }
      }
    }

    private enum Stage {
      case header, body, trailer, end
    }

    private let format: Format
    private var reader = BitReader()
    private var stage = Stage.header
    private var inflater = Inflater()
    private var checksum = Checksum(.none)

    init(_ format: Format) { self.format = format }
  }

  extension Decompressor {
    /// Whether the body may end here: nothing has come, or all of it.
    var isAtEnd: Bool {
      switch stage {
      case .header: reader.isEmpty
      case .end: true
      case .body, .trailer: false
      }
    }

    /// Decodes a piece.
    ///
    /// - Parameters:
    ///   - bytes: The next ones.
    ///   - emit: Takes what comes of it, and says whether to go on.
    /// - Returns: Whether to go on.
    /// - Throws: `LoadError` if the coding is broken, and what `emit` throws.
    func decode(
      _ bytes: UnsafeRawBufferPointer, _ emit: ContentDecoding.Emit
    ) throws(LoadError) -> Bool {
      reader.append(bytes)
      while true {
        switch stage {
        case .header: guard try readHeader() else { return true }
        case .body:
          switch try inflate(emit) {
          case .needsMore: return true
          case .stopped: return false
          case .finished: stage = .trailer
          }
        case .trailer: guard try readTrailer() else { return true }
        case .end:
          guard reader.isEmpty else { throw .brokenCoding("something follows its end") }
          return true
        }
      }
    }

    private func inflate(_ emit: ContentDecoding.Emit) throws(LoadError) -> Inflater.Step {
      try inflater.inflate(&reader) { (output) throws(LoadError) in
        checksum.update(output)
        return try emit(output)
      }
    }
  }

  // MARK: - Around the deflated bytes

  extension Decompressor {
    /// - Returns: Whether there was enough input.
    private func readHeader() throws(LoadError) -> Bool {
      let mark = reader
      guard !reader.isEmpty, let kind = try headerKind() else {
        reader = mark
        guard reader.unreadCount <= 128 << 10 else { throw .brokenCoding("its header is too long") }
        return false
      }
      if kind == .none { reader = mark }
      (checksum, stage) = (Checksum(kind), .body)
      return true
    }

    private func headerKind() throws(LoadError) -> Checksum.Kind? {
      switch format {
      case .gzip: try reader.skipGzipHeader() ? .crc32 : nil
      case .deflate: try reader.skipDeflateHeader().map { $0 ? .adler32 : .none }
      }
    }

    /// - Returns: Whether there was enough input.
    private func readTrailer() throws(LoadError) -> Bool {
      guard checksum.kind != .none else {
        reader.alignToByte()
        stage = .end
        return true
      }
      let mark = reader
      reader.alignToByte()
      guard let sum = reader.take(32), let size = checksum.kind == .crc32 ? reader.take(32) : 0
      else {
        reader = mark
        return false
      }
      guard checksum.matches(UInt32(sum), size: UInt32(size)) else {
        throw .brokenCoding("its checksum is wrong")
      }
      // What was compressed in parts has each in an envelope of its own.
      stage = checksum.kind == .crc32 ? .header : .end
      inflater = Inflater()
      return true
    }
  }
#endif
