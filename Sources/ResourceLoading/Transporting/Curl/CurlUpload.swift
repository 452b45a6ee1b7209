#if Curl && canImport(CResourceCurl)
  import Foundation

  /// Reads the body of a request piece by piece.
  struct CurlUpload {
    private let body: WireBody?
    private var reader: WireBodyReader?
    /// How many bytes were read.
    private(set) var count = 0

    /// Reads a body; `nil` for none.
    init(_ body: WireBody? = nil) {
      self.body = body
      reader = body?.makeReader()
    }

    /// How many bytes there are in all.
    var length: Int { body?.length ?? 0 }

    /// - Returns: How many bytes there were, 0 at the end.
    /// - Throws: `LoadError` if a file can't be read.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(LoadError) -> Int {
      do {
        guard let chunk = try reader?.next(atMost: buffer.count) else { return 0 }
        count += chunk.count
        return chunk.copyBytes(to: buffer)
      } catch {
        throw LoadError(sending: error)
      }
    }

    /// Begins again.
    mutating func rewind() { self = CurlUpload(body) }
  }
#endif
