#if Curl && os(Linux)
  import CResourceZlib
  import Foundation
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceLoading

  /// The decoding of content codings, compared with zlib.
  @Suite(.inTurn)
  struct ContentDecoderTests {
    private func decoder(
      _ coding: String, accepting: String? = nil, maximumSize: Int? = nil, status: Status = .ok
    ) throws -> (decoder: ContentDecoder?, head: ResponseHead) {
      var draft = WireRequest.Draft(url: try #require(URL(string: "http://a/")))
      draft.headers[.acceptEncoding] = accepting
      var request = try WireRequest(draft)
      request.maximumBodySize = maximumSize
      var head = ResponseHead(
        status: status, headers: [.contentEncoding: coding, .contentLength: "9", .eTag: "\"a\""])
      let decoder = try ContentDecoder(of: &head, for: request)
      return (decoder, head)
    }

    /// Decodes bytes in pieces of a size. Returns the output and the size of its largest piece.
    private func decode(
      _ bytes: Data, _ decoder: ContentDecoder, by size: Int = 1 << 14
    ) throws -> (whole: Data, largest: Int) {
      var (decoder, output, largest) = (decoder, Data(), 0)
      for start in stride(from: 0, to: bytes.count, by: size) {
        decoder.feed(Data(bytes[start..<min(start + size, bytes.count)]))
        while let piece = try decoder.next() {
          output += piece
          largest = max(largest, piece.count)
        }
      }
      if let failure = decoder.end() { throw failure }
      return (output, largest)
    }

    private static let samples: [Data] = {
      var random = SeededGenerator(seed: 42)
      let noise = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }
      let text = (0..<10_000).map { "{\"id\": \($0), \"name\": \"item \($0 % 97)\"}\n" }.joined()
      return [
        Data(), Data("hello".utf8), Data(text.utf8), Data(noise), Data(count: 3_000_000),
        Data(noise.map { $0 & 3 }), Data(text.utf8) + Data(noise) + Data(text.utf8),
      ]
    }()

    @Test(arguments: samples.indices, Compression.allCases)
    func `a body that zlib compressed is decoded in small pieces`(
      _ sample: Int, _ compression: Compression
    ) throws {
      let data = Self.samples[sample]

      for level in [0, 1, 9] as [Int32] {
        let compressed = compression.compress(data, level)
        for size in [1 << 20, 16_384, 1_000] {
          let decoder = try #require(try decoder(compression.coding).decoder)
          let (whole, largest) = try decode(compressed, decoder, by: size)
          #expect(whole == data)
          #expect(largest <= 64 << 10)
        }
      }
    }

    @Test func `up to five codings are removed, and no decoder is made for more`() throws {
      var data = Self.samples[2]
      for count in 1...5 {
        data = Compression.gzip.compress(data, 6)
        let coding = Array(repeating: "gzip", count: count).joined(separator: ", ")
        let decoder = try #require(try decoder(coding).decoder)
        #expect(try decode(data, decoder).whole == Self.samples[2])
      }

      for count in [6, 4_000] {
        let coding = Array(repeating: "x-gzip", count: count).joined(separator: ",")
        #expect(throws: LoadError.self) { try decoder(coding) }
      }
    }

    @Test(arguments: Compression.allCases)
    func `every cut and almost every damaged bit is an error, and none changes bytes`(
      _ compression: Compression
    ) throws {
      let data = Self.samples[2].prefix(6_000)
      let compressed = compression.compress(Data(data), 6)

      for count in 1..<compressed.count {
        let decoder = try #require(try decoder(compression.coding).decoder)
        #expect(throws: LoadError.self, "after \(count) bytes") {
          try decode(compressed.prefix(count), decoder)
        }
      }
      for index in compressed.indices.dropFirst(10) where compression.hasChecksum {
        var damaged = compressed
        damaged[index] ^= UInt8(1 << (index % 8))
        let decoder = try #require(try decoder(compression.coding).decoder)
        let output = try? decode(damaged, decoder, by: 700).whole
        // The last bits of a deflate stream may be unused.
        #expect(output == nil || output == data, "byte \(index)")
      }
    }

    @Test func `random damage is an error or has no effect, with any codings`() throws {
      var random = SeededGenerator(seed: 7)
      var failures = 0
      for _ in 0..<2_000 {
        let count = Int.random(in: 1...3, using: &random)
        let compressions = (0..<count).compactMap { _ in
          Compression.allCases.randomElement(using: &random)
        }
        let data = Self.samples[2].prefix(Int.random(in: 1...3_000, using: &random))
        var bytes = compressions.reduce(Data(data)) { $1.compress($0, 6) }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          bytes[Int.random(in: bytes.indices, using: &random)] = .random(
            in: 0...255, using: &random)
        }
        let coding = compressions.map(\.coding).joined(separator: ",")
        let decoder = try #require(try decoder(coding, maximumSize: 100_000).decoder)
        do {
          #expect(try decode(bytes, decoder).whole.count <= 100_000)
        } catch { failures += 1 }
      }
      #expect(failures > 1_000)
    }

    @Test func `the coded body and the output of every stage count towards the size limit`() throws
    {
      let zeros = Compression.gzip.compress(Data(count: 50_000), 9)
      let small = Compression.gzip.compress(zeros, 9)
      #expect(small.count < 1_000)

      let enough = try #require(try decoder("gzip, gzip", maximumSize: 50_000).decoder)
      #expect(try decode(small, enough).whole.count == 50_000)
      for (coding, bytes, limit) in [
        ("gzip, gzip", small, 49_999), ("gzip", zeros, 49_999),
        ("gzip", Compression.gzip.compress(Data(), 0), 10),
      ] {
        let decoder = try #require(try decoder(coding, maximumSize: limit).decoder)
        let error = #expect(throws: LoadError.self) { try decode(bytes, decoder) }
        #expect(error?.kind == .tooLarge)
      }
    }

    @Test func `the body of an error may exceed the size limit`() throws {
      let noise = Compression.gzip.compress(Self.samples[3], 9)

      let decoder = try #require(try decoder("gzip", maximumSize: 1_000, status: 404).decoder)

      #expect(try decode(noise, decoder).whole == Self.samples[3])
    }

    @Test func `a decompression bomb is refused while its output is small`() throws {
      let bomb = Compression.gzip.compress(Data(count: 64 << 20), 9)
      var decoder = try #require(try decoder("gzip").decoder)
      var size = 0
      decoder.feed(bomb.prefix(16 << 10))

      let error = #expect(throws: LoadError.self) {
        while let piece = try decoder.next() { size += piece.count }
      }

      #expect(error?.kind == .tooLarge)
      #expect(error?.advice?.contains("identity") == true)
      #expect(size <= 500 * (16 << 10))
    }

    @Test func `a small or well compressed body isn't refused as a bomb`() throws {
      let line = (0..<100).map { _ in "a,b,c,d,e,f\n" }.joined()
      let text = Data((0..<6_000).map { line + "\($0)\n" }.joined().utf8)
      for data in [text, Data(count: 4 << 20)] {
        let decoder = try #require(try decoder("gzip").decoder)
        #expect(try decode(Compression.gzip.compress(data, 9), decoder).whole == data)
      }
    }

    @Test(
      arguments: [
        ("gzip", nil, nil), ("X-GZIP", nil, nil), ("deflate, gzip", nil, nil),
        ("br, gzip", "br", nil), ("zstd", nil, nil), ("BR", nil, nil), ("Zstd, br", "gzip", nil),
        ("compress, gzip", "compress", "compress"), ("klingon, gzip", "gzip", "klingon"),
        ("gzip", "identity", nil), ("gzip", "br", nil), ("identity, gzip, none", nil, nil),
      ] as [(String, String?, String?)])
    func `the head of a decoded body has the remaining codings and no length`(
      _ coding: String, _ accepted: String?, _ rest: String?
    ) throws {
      let (decoder, head) = try decoder(coding, accepting: accepted)

      #expect(decoder != nil)
      #expect(head.headers[.contentEncoding] == rest)
      #expect(head.headers[.contentLength] == nil)
      #expect(head.headers[.eTag] == "\"a\"")
    }

    @Test(
      arguments: [
        ("compress", "compress", "compress"),
        ("gzip, compress", "gzip, compress;q=0.5", "gzip, compress"), ("DCB", "*", "dcb"),
        ("identity", nil, nil), ("none", nil, nil), ("", nil, nil), ("compress", nil, "compress"),
        ("compress", "gzip", "compress"), ("br, klingon", "gzip", "br, klingon"),
      ] as [(String, String?, String?)])
    func `a body in an unknown coding stays unchanged, with its length`(
      _ coding: String, _ accepted: String?, _ rest: String?
    ) throws {
      let (decoder, head) = try decoder(coding, accepting: accepted)

      #expect(decoder == nil)
      #expect(head.headers[.contentEncoding] == rest)
      #expect(head.headers[.contentLength] == "9")
    }

    @Test func `several frames of zstd are one body, and one with too large a window is an error`()
      throws
    {
      let frames = [Data("hello ".utf8), Data("world".utf8)].map {
        Compression.zstandard.compress($0, 1)
      }
      let skipped = Data([0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3])
      let coded = frames[0] + skipped + frames[1]
      for size in [1, 3, 1 << 20] {
        let decoder = try #require(try decoder("zstd").decoder)
        #expect(try decode(coded, decoder, by: size).whole == Data("hello world".utf8))
      }

      // A frame without the size of its content: windows of 8 MiB, and of 16.
      for (window, isAccepted) in [(13 << 3 as UInt8, true), (14 << 3, false)] {
        let frame = Data([0x28, 0xB5, 0x2F, 0xFD, 0, window, 0x29, 0, 0]) + Data("hello".utf8)
        let decoder = try #require(try decoder("zstd").decoder)
        #expect(
          (try? decode(frame, decoder).whole == Data("hello".utf8)) == (isAccepted ? true : nil))
      }
    }

    @Test(arguments: [Compression.deflate, .brotli, .zstandard])
    func `what follows a body is an error`(_ compression: Compression) throws {
      let coded = compression.compress(Data("hello".utf8), 6) + Data("more".utf8)
      for size in [1, 1 << 20] {
        let decoder = try #require(try decoder(compression.coding).decoder)
        #expect(throws: LoadError.self) { try decode(coded, decoder, by: size) }
      }
    }

    @Test(arguments: [Compression.brotli, .zstandard])
    func `a bomb of another coding is refused while its output is small, too`(
      _ compression: Compression
    ) throws {
      let bomb = compression.compress(Data(count: 64 << 20), 9)
      var decoder = try #require(try decoder(compression.coding).decoder)
      decoder.feed(bomb)
      var size = 0

      let error = #expect(throws: LoadError.self) {
        while let piece = try decoder.next() { size += piece.count }
      }

      #expect(error?.kind == .tooLarge)
      #expect(size <= max(ContentDecoder.freeSize, 500 * bomb.count))
    }
  }
#endif
