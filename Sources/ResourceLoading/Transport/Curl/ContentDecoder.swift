#if Curl && canImport(CResourceZlib)
  import Foundation

  /// Removes the content codings of one body (RFC 9110 section 8.4), a piece at a time, and sees to it that no
  /// piece is large and that all of them together aren't out of proportion.
  ///
  /// Done here and not by libcurl, because that takes a body that was cut off for whole.
  struct ContentDecoder {
    /// In the order in which they are removed.
    private let stages: [Inflater]
    /// The coding that nobody removes and nobody asked for.
    private let unknown: String?
    private let maximumSize: Int?
    private var input = Data()
    private var inputSize = 0

    /// How many codings a body may have, as with curl and urllib3.
    static let maximumCount = 5
    /// How many times as large as what came a decoded body may be, once it is larger than ``freeSize``.
    static let maximumRatio = 500
    /// Up to how many bytes it doesn't matter how small the coded body was: 4 MiB.
    static let freeSize = 4 << 20
  }

  extension ContentDecoder {
    /// Gets ready for the body of a response, and takes out of its head what won't be true of the decoded body:
    /// the codings that are removed, and the length.
    ///
    /// Codings are removed from the last one on, as far as they are known. What is left stays in the head if
    /// the request asked for it.
    ///
    /// - Returns: `nil` if the body stays as it is.
    /// - Throws: `LoadError` if there are too many codings.
    init?(of head: inout ResponseHead, for request: WireRequest) throws(LoadError) {
      guard request.method != .head, head.status.hasBody,
        let text = head.headers[.contentEncoding]?.lowercased()
      else { return nil }
      var codings = text.split { ", \t".contains($0) }
      codings.removeAll { $0 == "identity" || $0 == "none" }
      guard codings.count <= Self.maximumCount else { throw .tooManyCodings }
      var formats: [Inflater.Format] = []
      while let format = codings.last.flatMap({ Inflater.Format(coding: $0) }) {
        formats.append(format)
        codings.removeLast()
      }
      unknown = codings.last { !request.accepts(coding: $0) }.map { String($0) }
      // Of a body that isn't the answer, the beginning is kept, whatever the limit.
      maximumSize = request.maximumBodySize.map {
        head.status.isSuccess ? $0 : max($0, ResponseHead.maximumErrorBodySize)
      }
      stages = unknown == nil ? formats.map { Inflater($0) } : []
      head.headers[.contentEncoding] = codings.isEmpty ? nil : codings.joined(separator: ", ")
      guard !formats.isEmpty || unknown != nil else { return nil }
      head.headers[.contentLength] = nil
    }
  }

  extension ContentDecoder {
    /// Takes the next bytes, once ``next()`` has used those before.
    mutating func feed(_ bytes: Data) {
      input = bytes
      inputSize += bytes.count
    }

    /// Decodes some of what has come: no stage more than one piece.
    ///
    /// - Returns: At most ``Inflater/pieceSize`` bytes, none if there may be some with the next call; `nil` if
    ///   there are none until more comes.
    /// - Throws: `LoadError` if a coding is broken or none of ours, or if there is too much.
    mutating func next() throws(LoadError) -> Data? {
      if let unknown, inputSize > 0 { throw .unknownCoding(unknown) }
      if let maximumSize, inputSize > maximumSize { throw LoadError(over: maximumSize) }
      return try output(of: stages.endIndex - 1)
    }

    private mutating func output(of index: Int) throws(LoadError) -> Data? {
      guard index >= 0 else {
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

    /// What is wrong with a body that ends here, if anything is.
    func end() -> LoadError? {
      stages.contains { !$0.isAtEnd } ? .brokenCoding("it was cut off") : nil
    }
  }

  extension WireRequest {
    /// Whether a caller asked for a coding by its own `Accept-Encoding`.
    fileprivate func accepts(coding: Substring) -> Bool {
      guard let text = headers[.acceptEncoding]?.lowercased() else { return false }
      return text.split(separator: ",").contains { element in
        let name = element.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
        return name == coding || name == "*"
      }
    }
  }

  extension LoadError {
    fileprivate static let tooManyCodings = LoadError(
      .connection, "the body has more than \(ContentDecoder.maximumCount) content codings")

    fileprivate static let outOfProportion = LoadError(
      .tooLarge,
      "the body is more than \(ContentDecoder.maximumRatio) times as large as what was sent for it",
      advice: "Ask for it with Accept-Encoding: identity if that much is expected")

    fileprivate static func unknownCoding(_ name: String) -> LoadError {
      let name = String(name.prefix(40))
      return LoadError(
        .connection,
        "the body has a content coding that can't be removed, \(name.debugDescription)",
        advice: "Ask for what can be read by Accept-Encoding: gzip or identity, or name the coding"
          + " there and decode the body, which then arrives as it is")
    }
  }
#endif
