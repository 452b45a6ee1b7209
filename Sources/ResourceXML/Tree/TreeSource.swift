internal import Foundation
internal import ResourcePrimitives

/// The UTF-8 of a tree's text: the caller's bytes, which are shared and not copied, or the
/// transcoded document.
enum TreeSource: Sendable {
  case bytes([UInt8])
  case data(Data)

  var count: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .data(let data): data.count
    }
  }

  var bytes: [UInt8] {
    switch self {
    case .bytes(let bytes): bytes
    case .data(let data): [UInt8](data)
    }
  }

  // A span can't be stored, so none outlives the call for which `Data` provides the bytes.

  @inline(__always)
  func withSpan<T>(_ body: (Span<UInt8>) -> T) -> T {
    switch self {
    case .bytes(let bytes): body(bytes.span)
    case .data(let data):
      unsafe data.withUnsafeBytes {
        unsafe $0.withMemoryRebound(to: UInt8.self) { unsafe body($0.span) }
      }
    }
  }

  /// Calls `body` with a range of the bytes.
  @inline(__always)
  func withSpan<T>(of range: Range<Int>, _ body: (Span<UInt8>) -> T) -> T {
    switch self {
    case .bytes(let bytes): body(bytes.span.extracting(range))
    case .data(let data):
      unsafe data.withUnsafeBytes { bytes in
        unsafe bytes.withMemoryRebound(to: UInt8.self) { unsafe body($0.extracting(range).span) }
      }
    }
  }
}

extension TreeSource {
  /// Returns the document in UTF-8 as far as it can be decoded, and the failure, if any. Sets
  /// `declared` to the document's encoding.
  func decoded(
    _ encoding: String?, _ options: XMLOptions, _ declared: inout DeclaredEncoding
  ) -> (source: TreeSource, failure: Failure?) {
    if let known = plain(encoding), count <= options.maximumDocumentSize {
      declared = known
      return (self, nil)
    }
    var source: [UInt8] = []
    var input = InputDecoder(external: encoding, sizeLimit: options.maximumDocumentSize)
    do throws(Failure) {
      try input.decode(bytes, into: &source)
      declared = input.declared
      return (.bytes(source), nil)
    } catch {
      declared = input.declared
      return (.bytes(source), error)
    }
  }

  /// Returns the encoding of a document that is UTF-8 without a mark and needs no decoding;
  /// otherwise `nil`.
  private func plain(_ encoding: String?) -> DeclaredEncoding? {
    let head = withSpan { bytes in
      var head: [UInt8] = []
      head.append(bytes, from: 0, to: min(bytes.count, EncodingDetector.longest))
      return head
    }
    let detector = EncodingDetector(external: encoding)
    guard let answer = try? detector.detect(head, isFinal: head.count == count),
      answer.markLength == 0, answer.declared.encoding == .utf8
    else { return nil }
    return answer.declared
  }
}
