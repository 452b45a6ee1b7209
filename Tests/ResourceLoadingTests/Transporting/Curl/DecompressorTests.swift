#if Curl && os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @testable import ResourceLoading

  /// Decompression beside what zlib made.
  @Suite(.inTurn)
  struct DecompressorTests {
    /// What comes of bytes that arrive in pieces of a size; `nil` if they were cut off.
    private func decode(_ bytes: Data, by size: Int) throws -> Data? {
      let decompressor = Decompressor(.gzip)
      var output = Data()
      for start in stride(from: 0, to: bytes.count, by: size) {
        let piece = bytes[start..<min(start + size, bytes.count)]
        _ = try piece.withUnsafeBytes { piece in
          try decompressor.decode(piece) { (chunk) throws(LoadError) in
            output.append(contentsOf: chunk)
            return true
          }
        }
      }
      return decompressor.isAtEnd ? output : nil
    }

    /// By the program `gzip`, at a level.
    private func compress(_ data: Data, _ level: Int) throws -> Data {
      let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try data.write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["gzip", "-c", "-n", "-\(level)", file.path]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let compressed = try output.fileHandleForReading.readToEnd()
      process.waitUntilExit()
      return try #require(compressed)
    }

    private static let samples: [Data] = {
      var state: UInt64 = 42
      let noise = (0..<300_000).map { _ -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 40)
      }
      let text = (0..<20_000).map { "{\"id\": \($0), \"name\": \"item \($0 % 97)\"}\n" }.joined()
      return [
        Data(), Data("hello".utf8), Data(text.utf8), Data(noise), Data(count: 3_000_000),
        Data(noise.map { $0 & 3 }), Data(text.utf8) + Data(noise) + Data(text.utf8),
      ]
    }()

    @Test(arguments: samples.indices, [1, 6, 9])
    func `what gzip compressed comes back`(_ sample: Int, _ level: Int) throws {
      let data = Self.samples[sample]
      let compressed = try compress(data, level)

      for size in [1 << 20, 16_384, 1_000] {
        #expect(try decode(compressed, by: size) == data)
      }
    }

    @Test func `damaged bytes never pass for whole`() throws {
      let data = Self.samples[2].prefix(20_000)
      let compressed = try compress(Data(data), 6)

      for index in 10..<compressed.count {
        var damaged = compressed
        damaged[index] ^= UInt8(1 << (index % 8))
        // The last bits of a deflated stream may be without meaning.
        let output = try? decode(damaged, by: 700)
        #expect(output == nil || output == data, "byte \(index)")
      }
    }
  }
#endif
