#if Curl && canImport(CResourceZlib)
  import Foundation

  /// Removes the coding `br` (RFC 7932). It has no checksum; a body that was cut off is noticed.
  @safe final class BrotliDecoder: CodingDecoder {
    /// The results of the library's decoder.
    private enum Result: Int32 {
      case error = 0
      case success = 1
      case needsInput = 2
      case needsOutput = 3
    }

    private let library: BrotliLibrary
    /// `nil` if there was no memory for it.
    private let state: OpaquePointer?
    /// The result of the last call; `nil` before the first byte.
    private var result: Result?
    private var input = Data()
    private let output = UnsafeMutableBufferPointer<UInt8>.allocate(
      capacity: ContentDecoder.pieceSize)
    private(set) var outputSize = 0

    init(_ library: BrotliLibrary) {
      self.library = library
      unsafe state = library.create(nil, nil, nil)
    }

    deinit {
      unsafe library.destroy(state)
      unsafe output.deallocate()
    }
  }

  extension BrotliDecoder {
    var isAtEnd: Bool { result == nil || result == .success }

    func feed(_ bytes: Data) { input = input.isEmpty ? bytes : input + bytes }

    func next() throws(LoadError) -> Data? {
      while !input.isEmpty || result == .needsOutput {
        guard result != .success else { throw .bytesBehindCoding }
        guard let state = unsafe state else { throw .noMemoryForCoding }
        let (result, count) = unsafe decodeOnce(state)
        guard result != .error else { throw .brokenCoding("it can't be decoded") }
        self.result = result
        outputSize += count
        if count > 0 { return unsafe Data(output[..<count]) }
      }
      return nil
    }

    /// Decodes until the input is used or the output is full. Returns the number of decoded bytes.
    private func decodeOnce(_ state: OpaquePointer) -> (result: Result, count: Int) {
      var (room, place) = unsafe (output.count, output.baseAddress)
      let (code, used) = unsafe input.withUnsafeBytes { bytes in
        var left = bytes.count
        var start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let code = unsafe library.decompress(state, &left, &start, &room, &place, nil)
        return (code, bytes.count - left)
      }
      input = input.dropFirst(used)
      return unsafe (Result(rawValue: code) ?? .error, output.count - room)
    }
  }
#endif
