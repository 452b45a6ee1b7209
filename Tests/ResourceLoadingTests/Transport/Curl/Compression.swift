#if Curl && os(Linux)
  import CResourceZlib
  import Foundation

  @testable import ResourceLoading

  /// Compressing with the libraries of the content codings.
  enum Compression: CaseIterable, Sendable {
    case gzip, deflate
    /// `deflate` without its envelope.
    case raw
    case brotli, zstandard

    var coding: String {
      switch self {
      case .gzip: "gzip"
      case .deflate, .raw: "deflate"
      case .brotli: "br"
      case .zstandard: "zstd"
      }
    }

    var hasChecksum: Bool { self != .raw && self != .brotli }

    /// - Parameter level: 0 to 9.
    func compress(_ data: Data, _ level: Int32) -> Data {
      var input = Array(data)
      return Data(
        [UInt8](unsafeUninitializedCapacity: data.count + data.count / 99 + 999) { output, count in
          count = input.withUnsafeMutableBufferPointer { compress($0, to: output, level) }
        })
    }

    private func compress(
      _ input: UnsafeMutableBufferPointer<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>,
      _ level: Int32
    ) -> Int {
      switch self {
      case .gzip: deflate(input, to: output, level, windowBits: MAX_WBITS + 16)
      case .deflate: deflate(input, to: output, level, windowBits: MAX_WBITS)
      case .raw: deflate(input, to: output, level, windowBits: -MAX_WBITS)
      case .brotli: Encoders.shared.brotli(input, to: output, level)
      case .zstandard: Encoders.shared.zstandard(input, to: output, level)
      }
    }

    private func deflate(
      _ input: UnsafeMutableBufferPointer<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>,
      _ level: Int32, windowBits: Int32
    ) -> Int {
      var stream = z_stream()
      let size = Int32(MemoryLayout<z_stream>.size)
      deflateInit2_(
        &stream, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
      defer { deflateEnd(&stream) }
      (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
      (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
      CResourceZlib.deflate(&stream, Z_FINISH)
      return output.count - Int(stream.avail_out)
    }
  }

  /// Functions of the encoders of brotli and zstd, which distributions ship with the decoders.
  private struct Encoders {
    static let shared: Encoders = {
      do { return try Encoders() } catch {
        fatalError("libbrotlienc.so.1 or libzstd.so.1 is missing")
      }
    }()

    private let compressBrotli:
      @convention(c) @Sendable (
        Int32, Int32, Int32, Int, UnsafePointer<UInt8>?, UnsafeMutablePointer<Int>,
        UnsafeMutablePointer<UInt8>?
      ) -> Int32
    private let createContext: @convention(c) @Sendable () -> OpaquePointer
    private let set: @convention(c) @Sendable (OpaquePointer, UInt32, Int32) -> Int
    private let compressZstandard:
      @convention(c) @Sendable (
        OpaquePointer, UnsafeMutableRawPointer?, Int, UnsafeRawPointer?, Int
      ) -> Int
    private let freeContext: @convention(c) @Sendable (OpaquePointer) -> Int

    private init() throws {
      compressBrotli = try SharedLibrary("libbrotlienc.so.1").function("BrotliEncoderCompress")
      let zstandard = try SharedLibrary("libzstd.so.1")
      createContext = try zstandard.function("ZSTD_createCCtx")
      set = try zstandard.function("ZSTD_CCtx_setParameter")
      compressZstandard = try zstandard.function("ZSTD_compress2")
      freeContext = try zstandard.function("ZSTD_freeCCtx")
    }

    func brotli(
      _ input: UnsafeMutableBufferPointer<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>,
      _ quality: Int32
    ) -> Int {
      var size = output.count
      // With the largest window of the format, and no mode for texts or fonts.
      let isDone = compressBrotli(
        quality, 24, 0, input.count, input.baseAddress, &size, output.baseAddress)
      precondition(isDone == 1)
      return size
    }

    func zstandard(
      _ input: UnsafeMutableBufferPointer<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>,
      _ level: Int32
    ) -> Int {
      let context = createContext()
      defer { _ = freeContext(context) }
      // ZSTD_c_compressionLevel and ZSTD_c_checksumFlag.
      _ = set(context, 100, level)
      _ = set(context, 201, 1)
      return compressZstandard(
        context, output.baseAddress, output.count, input.baseAddress, input.count)
    }
  }
#endif
