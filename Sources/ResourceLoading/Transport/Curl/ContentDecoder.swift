#if Curl && canImport(CResourceZlib)
  import Foundation

  /// Removes the content codings of one body (RFC 9110 section 8.4) piece by piece, and limits the
  /// size of each piece and the ratio of all of them to the coded body.
  ///
  /// libcurl isn't used for this, because it takes a truncated body for complete.
  struct ContentDecoder {
    /// The decoders in the order in which they are used.
    private let stages: [any CodingDecoder]
    private let maximumSize: Int?
    /// The coded bytes that aren't used yet.
    private(set) var input = Data()
    /// The number of those that are.
    private var inputSize = 0

    /// The maximum number of codings, as in curl and urllib3.
    static let maximumCount = 5
    /// The maximum ratio of the decoded to the coded body, if the former is larger than
    /// ``freeSize``.
    static let maximumRatio = 500
    /// The size up to which the ratio isn't checked: 4 MiB.
    static let freeSize = 4 << 20
  }

  extension ContentDecoder {
    /// Creates the decoder of a response's body, and removes from its head what isn't true of the
    /// decoded body: the codings, the length and digests. `nil` if there is nothing to decode.
    ///
    /// Known codings are removed from the last one on. The others stay, on the body and in the
    /// head.
    init?(of head: inout ResponseHead, for request: WireRequest) throws(LoadError) {
      guard request.method != .head, head.status.hasBody,
        let text = head.headers[.contentEncoding]?.lowercased()
      else { return nil }
      var codings = text.split { ", \t".contains($0) }
      codings.removeAll { $0 == "identity" || $0 == "none" }
      guard codings.count <= Self.maximumCount else { throw .tooManyCodings }
      var stages: [any CodingDecoder] = []
      while let stage = codings.last.flatMap(Self.decoder) {
        stages.append(stage)
        codings.removeLast()
      }
      // The beginning of an error's body is kept, whatever the limit.
      maximumSize = request.maximumBodySize.map {
        head.status.isSuccess ? $0 : max($0, ResponseHead.maximumErrorBodySize)
      }
      self.stages = stages
      head.headers[.contentEncoding] = codings.isEmpty ? nil : codings.joined(separator: ", ")
      guard !stages.isEmpty else { return nil }
      for name in [.contentLength, .contentDigest, .reprDigest, .digest] as [Headers.Name] {
        head.headers[name] = nil
      }
    }
  }

  extension ContentDecoder {
    mutating func feed(_ bytes: Data) {
      if input.isEmpty { input = bytes } else { input.append(bytes) }
    }

    /// Decodes some of the bytes: at most one piece in each stage. Returns at most
    /// ``pieceSize`` bytes; empty if the next call may return some; `nil` if more coded
    /// bytes are needed.
    mutating func next() throws(LoadError) -> Data? {
      if let maximumSize, inputSize > maximumSize { throw LoadError(over: maximumSize) }
      return try output(of: stages.endIndex - 1)
    }

    private mutating func output(of index: Int) throws(LoadError) -> Data? {
      guard index >= 0 else {
        inputSize += input.count
        defer { input = Data() }
        return input.isEmpty ? nil : input
      }
      let stage = stages[index]
      if let output = try stage.next() {
        try check(stage.outputSize)
        return output
      }
      guard let more = try output(of: index - 1) else { return nil }
      stage.feed(more)
      return Data()
    }

    private func check(_ size: Int) throws(LoadError) {
      if let maximumSize, size > maximumSize { throw LoadError(over: maximumSize) }
      guard size <= Self.freeSize || size / Self.maximumRatio <= inputSize else {
        throw .outOfProportion
      }
    }

    /// Returns the error for a body that ends here, or `nil` if it is complete.
    func end() -> LoadError? {
      stages.contains { !$0.isAtEnd } ? .brokenCoding("it was cut off") : nil
    }
  }

  extension LoadError {
    fileprivate static let tooManyCodings = LoadError(
      .connection, "the body has more than \(ContentDecoder.maximumCount) content codings")

    fileprivate static let outOfProportion = LoadError(
      .tooLarge,
      "the body is more than \(ContentDecoder.maximumRatio) times as large as what was sent for it",
      advice: "Ask for it with Accept-Encoding: identity if that much is expected")
  }
#endif
