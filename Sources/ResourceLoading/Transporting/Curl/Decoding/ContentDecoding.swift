#if Curl && canImport(CResourceCurl)
  /// Removes the content codings of one body (RFC 9110 section 8.4).
  ///
  /// Done here and not by libcurl, because that takes a body that was cut off for whole.
  struct ContentDecoding {
    private let decoders: [Decompressor]
    private let unknown: String?

    /// There are none.
    init() { self.init([], nil) }

    private init(_ decoders: [Decompressor], _ unknown: String?) {
      (self.decoders, self.unknown) = (decoders, unknown)
    }

    /// Those that a head names, the last one first.
    init(of head: ResponseHead, for request: WireRequest) {
      let names = head.headers.values(of: .contentEncoding)
        .flatMap { $0.lowercased().split(separator: ",") }
        .map { $0.filter { $0 != " " && $0 != "\t" } }
        .filter { !$0.isEmpty && $0 != "identity" }
      guard !names.isEmpty, request.method != .head, request.codingsForLibrary == nil else {
        self.init()
        return
      }
      let formats = names.reversed().map { Decompressor.Format($0) }
      let unknown = names.first { Decompressor.Format($0) == nil }
      self.init(unknown == nil ? formats.compactMap { $0.map(Decompressor.init) } : [], unknown)
    }

    /// Whether bodies stay as they are.
    var isIdentity: Bool { decoders.isEmpty && unknown == nil }
  }

  extension ContentDecoding {
    typealias Emit = (UnsafeRawBufferPointer) throws(LoadError) -> Bool

    /// Decodes a piece.
    ///
    /// - Parameter emit: Takes what comes of it, in pieces of some 64 KiB, and says whether to go on.
    /// - Returns: Whether to go on.
    /// - Throws: `LoadError` if the coding is broken, or none that is known.
    func decode(_ bytes: UnsafeRawBufferPointer, _ emit: Emit) throws(LoadError) -> Bool {
      if let unknown { throw .unknownCoding(unknown) }
      return try decode(bytes, from: 0, emit)
    }

    private func decode(
      _ bytes: UnsafeRawBufferPointer, from index: Int, _ emit: Emit
    ) throws(LoadError) -> Bool {
      guard index < decoders.count else { return try emit(bytes) }
      return try decoders[index].decode(bytes) { (chunk) throws(LoadError) in
        try decode(chunk, from: index + 1, emit)
      }
    }

    /// What is wrong with a body that ends here, if anything is.
    func end() -> LoadError? {
      decoders.contains { !$0.isAtEnd } ? .brokenCoding("it was cut off") : nil
    }
  }

  extension LoadError {
    static func brokenCoding(_ reason: String) -> LoadError {
      LoadError(.connection, "the body's content coding is broken: \(reason)")
    }

    fileprivate static func unknownCoding(_ name: String) -> LoadError {
      LoadError(
        .connection,
        "the body has a content coding that can't be removed, \(name.debugDescription)",
        advice: "Say in Accept-Encoding what is welcome")
    }
  }
#endif
