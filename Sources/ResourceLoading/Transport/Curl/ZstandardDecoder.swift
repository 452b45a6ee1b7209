#if Curl && canImport(CResourceZlib)
  import CResourceZlib
  import Foundation

  /// Removes the coding `zstd` (RFC 8878), of one frame or several. Checksums are verified.
  @safe final class ZstandardDecoder: CodingDecoder {
    private let library: ZstandardLibrary
    /// The decoder's state; `nil` if there was no memory for it.
    private let stream: OpaquePointer?
    private var position = Position.betweenFrames
    private var input = Data()
    private let output = UnsafeMutableBufferPointer<UInt8>.allocate(
      capacity: ContentDecoder.pieceSize)
    private(set) var outputSize = 0

    private enum Position {
      case betweenFrames
      case inFrame
      /// In a frame of which the library holds more bytes.
      case beforeOutput
    }

    /// The number of the library's parameter for the largest window, as a power of two.
    private static let windowLogMax: UInt32 = 100
    /// The window that a content coding may need, 8 MiB (RFC 9659 section 3).
    private static let maximumWindowLog: Int32 = 23

    init(_ library: ZstandardLibrary) {
      self.library = library
      unsafe stream = library.create()
      guard unsafe stream != nil else { return }
      _ = unsafe library.set(stream, Self.windowLogMax, Self.maximumWindowLog)
    }

    deinit {
      _ = unsafe library.free(stream)
      unsafe output.deallocate()
    }
  }

  extension ZstandardDecoder {
    var isAtEnd: Bool { position == .betweenFrames }

    func feed(_ bytes: Data) { input = input.isEmpty ? bytes : input + bytes }

    func next() throws(LoadError) -> Data? {
      while !input.isEmpty || position == .beforeOutput {
        guard let stream = unsafe stream else { throw .noMemoryForCoding }
        let (code, count) = unsafe decodeOnce(stream)
        guard library.isError(code) == 0 else { throw .brokenCoding(reason(of: code)) }
        position =
          unsafe code == 0 ? .betweenFrames : count == output.count ? .beforeOutput : .inFrame
        outputSize += count
        if count > 0 { return unsafe Data(output[..<count]) }
      }
      return nil
    }

    /// Decodes until the input is used, the output is full, or a frame ends. Returns the code of
    /// the library, which is 0 at the end of a frame, and the number of decoded bytes.
    private func decodeOnce(_ stream: OpaquePointer) -> (code: Int, count: Int) {
      var decoded = unsafe resource_zstd_output(
        bytes: output.baseAddress, size: output.count, position: 0)
      let (code, used) = unsafe input.withUnsafeBytes { bytes in
        var coded = unsafe resource_zstd_input(
          bytes: bytes.baseAddress, size: bytes.count, position: 0)
        let code = unsafe library.decompress(stream, &decoded, &coded)
        return unsafe (code, coded.position)
      }
      input = input.dropFirst(used)
      return unsafe (code, decoded.position)
    }

    private func reason(of code: Int) -> String {
      unsafe library.errorName(code).map { unsafe String(cString: $0) } ?? "it can't be decoded"
    }
  }
#endif
