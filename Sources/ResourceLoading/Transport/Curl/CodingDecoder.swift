#if Curl && canImport(CResourceZlib)
  import Foundation

  /// Removes one content coding from a body, piece by piece.
  protocol CodingDecoder: AnyObject {
    /// Whether the body may end here: it is empty or complete.
    var isAtEnd: Bool { get }

    /// The number of decoded bytes.
    var outputSize: Int { get }

    /// Adds coded bytes, once ``next()`` has used those before.
    func feed(_ bytes: Data)

    /// Decodes some of the bytes, up to ``ContentDecoder/pieceSize``; `nil` if more coded bytes are
    /// needed.
    func next() throws(LoadError) -> Data?
  }

  extension ContentDecoder {
    /// The maximum number of bytes that are decoded at a time: 64 KiB.
    static let pieceSize = 64 << 10

    /// The codings that requests ask for.
    static let acceptEncodingLine: String = {
      var codings = "Accept-Encoding: gzip, deflate"
      if BrotliLibrary.shared != nil { codings += ", br" }
      if ZstandardLibrary.shared != nil { codings += ", zstd" }
      return codings
    }()

    /// Returns a decoder of a coding, whose name is in lower case; `nil` if it isn't supported.
    static func decoder(of coding: Substring) -> (any CodingDecoder)? {
      switch coding {
      case "gzip", "x-gzip": Inflater(.gzip)
      case "deflate": Inflater(.deflate)
      case "br": BrotliLibrary.shared.map(BrotliDecoder.init)
      case "zstd": ZstandardLibrary.shared.map(ZstandardDecoder.init)
      default: nil
      }
    }
  }

  extension LoadError {
    static func brokenCoding(_ reason: String) -> LoadError {
      LoadError(.connection, "the body's content coding is broken: \(reason)")
    }

    /// A decoder couldn't allocate its state.
    static let noMemoryForCoding = brokenCoding("there is no memory to remove it")
    /// A coding whose end is known has ended before the body.
    static let bytesBehindCoding = brokenCoding("something follows its end")
  }
#endif
