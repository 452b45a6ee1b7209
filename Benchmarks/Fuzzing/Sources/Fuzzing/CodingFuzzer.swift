import CResourceZlib
import Foundation
import Trials

@testable import ResourceLoading

/// Content codings: bodies that nobody coded, and bodies that were coded and then cut or changed.
struct CodingFuzzer: Fuzzer {
  // What comes out is bounded by a ratio. At most a piece, a window and a piece of input a stage
  // are held at once; the windows are up to 8 MiB for zstd and 16 for brotli, of which two stages
  // have one.
  let bounds = Bounds(
    time: (constant: 250_000_000, perByte: 600_000), memory: (constant: 36 << 20, perByte: 16))

  private static let codings = [
    "gzip", "deflate", "x-gzip", "identity, gzip", "gzip, deflate", "deflate, gzip, gzip",
    "gzip,gzip,gzip,gzip,gzip", "gzip,gzip,gzip,gzip,gzip,gzip", "br", "zstd", "zstd, gzip",
    "br, br", "gzip, zstd, br", "none",
    "compress",
  ]

  func run(_ choices: Choices, _ payload: [UInt8]) {
    var choices = choices
    let coding = choices.pick(Self.codings)
    let maximumSize = choices.pick([nil, 100, 1 << 20, 8 << 20])
    let step = choices.pick([1, 7, 500, 1 << 16])
    switch choices.pick(4) {
    case 0: _ = decode(payload, coding, maximumSize, step, expecting: [])
    case 1: checkWhole(payload, coding, step)
    case 2: checkCut(payload, coding, step, by: 1 + choices.pick(64))
    default: checkChanged(payload, coding, step, at: choices.pick(1 << 16), by: choices.pick(255))
    }
  }

  /// The decoder is fed coded bytes, which may grow faster than the payload does.
  func growth(from short: [UInt8], to long: [UInt8], _ choices: Choices) -> Double {
    var choices = choices
    let coding = choices.pick(Self.codings)
    let growth = Double(long.count) / Double(short.count)
    guard let short = coded(short, coding), let long = coded(long, coding) else { return growth }
    return max(growth, Double(long.count) / Double(short.count))
  }

  // MARK: - Claims

  private func checkWhole(_ payload: [UInt8], _ coding: String, _ step: Int) {
    guard let coded = coded(payload, coding) else { return }
    let outcome = decode(coded, coding, nil, step, expecting: payload)
    claim(outcome == .same, "another body than was coded")
  }

  /// A part of a body is never the whole of it.
  private func checkCut(_ payload: [UInt8], _ coding: String, _ step: Int, by count: Int) {
    guard let coded = coded(payload, coding), coded.count > count else { return }
    let outcome = decode(Array(coded.dropLast(count)), coding, nil, step, expecting: payload)
    claim(outcome == .failed, "a part passes for the whole")
  }

  /// What has a checksum is never another body.
  private func checkChanged(
    _ payload: [UInt8], _ coding: String, _ step: Int, at place: Int, by mask: Int
  ) {
    // Changed, the envelope of `deflate` may look like none.
    guard coding.hasSuffix("gzip") || coding.hasSuffix("zstd"), var coded = coded(payload, coding)
    else { return }
    // At the same part of the way, whatever the length.
    coded[place * coded.count >> 16] ^= UInt8(mask + 1)
    let outcome = decode(coded, coding, nil, step, expecting: payload)
    claim(outcome != .other, "a changed body passes for the one that was sent")
  }

  // MARK: - Decoding

  private enum Outcome { case same, other, failed }

  private func decode(
    _ bytes: [UInt8], _ coding: String, _ maximumSize: Int?, _ step: Int, expecting body: [UInt8]
  ) -> Outcome {
    guard let url = URL(string: "http://a.b/"), var request = try? WireRequest(.init(url: url))
    else { return .failed }
    request.maximumBodySize = maximumSize
    var head = ResponseHead(status: .ok, headers: [.contentEncoding: coding])
    do {
      guard var decoder = try ContentDecoder(of: &head, for: request) else {
        return bytes == body ? .same : .other
      }
      claim(coding.split(separator: ",").count <= ContentDecoder.maximumCount, "too many codings")
      var (size, isSame) = (0, true)
      var rest = bytes[...]
      while !rest.isEmpty {
        decoder.feed(Data(rest.prefix(step)))
        rest = rest.dropFirst(step)
        while let piece = try decoder.next() {
          claim(piece.count <= ContentDecoder.pieceSize, "a large piece")
          isSame = isSame && body.dropFirst(size).starts(with: piece)
          size += piece.count
          check(size, bytes.count - rest.count, maximumSize)
        }
      }
      guard decoder.end() == nil else { return .failed }
      return isSame && size == body.count ? .same : .other
    } catch {
      return .failed
    }
  }

  private func check(_ size: Int, _ read: Int, _ maximumSize: Int?) {
    claim(size <= maximumSize ?? .max, "more than the limit")
    let ratio = ContentDecoder.maximumRatio
    claim(size <= max(ContentDecoder.freeSize, (read + 1) * ratio), "out of proportion")
  }

  // MARK: - Coding

  /// - Returns: `nil` for a coding that nobody removes.
  private func coded(_ payload: [UInt8], _ codings: String) -> [UInt8]? {
    let names = codings.split { ", ".contains($0) }.filter { $0 != "identity" && $0 != "none" }
    guard names.count <= ContentDecoder.maximumCount, !names.isEmpty else { return nil }
    return names.reduce(payload) { (bytes: [UInt8]?, name) in
      guard let bytes else { return nil }
      return switch name {
      case "gzip", "x-gzip": deflated(bytes, MAX_WBITS + 16)
      case "deflate": deflated(bytes, MAX_WBITS)
      case "br": Encoders.shared?.brotli(bytes)
      case "zstd": Encoders.shared?.zstandard(bytes)
      default: nil
      }
    }
  }

  private func deflated(_ bytes: [UInt8], _ windowBits: Int32) -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    deflateInit2_(&stream, 1, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    defer { deflateEnd(&stream) }
    var (input, output) = (bytes, [UInt8](repeating: 0, count: bytes.count + 1024))
    return input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
        (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
        claim(deflate(&stream, Z_FINISH) == Z_STREAM_END, "it doesn't fit")
        return Array(output.dropLast(Int(stream.avail_out)))
      }
    }
  }
}

/// The encoders of brotli and zstd, as far as the system has them.
private struct Encoders {
  static let shared = try? Encoders()

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

  func brotli(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: bytes.count + 1024) { output, count in
      count = output.count
      let isDone = compressBrotli(1, 22, 0, bytes.count, bytes, &count, output.baseAddress)
      claim(isDone == 1, "it doesn't fit")
    }
  }

  /// With a checksum.
  func zstandard(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: bytes.count + bytes.count / 128 + 1024) { output, count in
      let context = createContext()
      defer { _ = freeContext(context) }
      _ = set(context, 201, 1)
      count = compressZstandard(context, output.baseAddress, output.count, bytes, bytes.count)
      claim(count <= output.count, "it doesn't fit")
    }
  }
}
