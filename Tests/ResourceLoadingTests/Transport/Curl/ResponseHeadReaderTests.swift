#if Curl && os(Linux)
  import Foundation
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceLoading

  @Suite(.inTurn)
  struct ResponseHeadReaderTests {
    /// The head of some lines, or the reason why there is none; neither if it is incomplete.
    private func read(
      _ text: [UInt8], _ method: Request.Method = .get
    ) -> (head: ResponseHead?, failure: LoadError?) {
      var reader = ResponseHeadReader(for: method)
      for line in text.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
        do {
          let head = try (Array(line) + [0x0A]).withUnsafeBytes { try reader.read($0) }
          if case .final(let head) = head { return (head, nil) }
        } catch {
          return (nil, error as? LoadError)
        }
      }
      return (nil, nil)
    }

    private func read(_ text: String, _ method: Request.Method = .get) -> ResponseHead? {
      read(Array(text.utf8), method).head
    }

    @Test func `a written head is read back, folded or not`() throws {
      var random = SeededGenerator(seed: 3)
      let letters = Array("abcXYZ 019-_;=\",é")
      let word = { (random: inout SeededGenerator) in
        String(
          (0..<Int.random(in: 0...12, using: &random)).compactMap { _ in
            letters.randomElement(using: &random)
          })
      }
      for _ in 0..<500 {
        var (text, fields) = ("HTTP/1.1 404 Not Found\r\n", [[String]]())
        for number in 0..<Int.random(in: 0...20, using: &random) {
          let words = (0...Int.random(in: 0...3, using: &random)).map { _ in
            word(&random).trimmingCharacters(in: .whitespaces)
          }
          // An empty line would end the head.
          let value = words.filter { !$0.isEmpty }.joined(separator: "\r\n ")
          text += "X-\(number):\(value)\r\n"
          fields.append(["X-\(number)", value.replacing("\r\n ", with: " ")])
        }

        let head = try #require(read(text + "\r\n"))

        #expect(head.status == .notFound)
        #expect(head.headers.map { [$0.name.rawValue, $0.value] } == fields)
      }
    }

    @Test(arguments: [" \r\n", "\t\r\n", " \t \r\n \r\n"])
    func `an empty folded line adds nothing`(_ line: String) throws {
      let head = try #require(read("HTTP/1.1 200 OK\r\nA: b\r\n\(line)B:\r\n\(line)\r\n"))

      #expect(head.headers["A"] == "b" && head.headers["B"] == "")
    }

    @Test func `damaged heads are refused or unambiguous`() throws {
      var random = SeededGenerator(seed: 4)
      let whole = Array(
        """
        HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/plain\r\nX-A: b\r\n c\r
        Transfer-Encoding: chunked\r\nSet-Cookie: a=b; Path=/\r\nContent-Length: 5\r\n\r\n
        """.utf8)
      var heads = 0
      for _ in 0..<20_000 {
        var text = whole
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          let place = Int.random(in: text.indices, using: &random)
          switch Int.random(in: 0..<4, using: &random) {
          case 0: text[place] = .random(in: 0...255, using: &random)
          case 1: text.remove(at: place)
          case 2: text.insert([0x0D, 0x0A, 0x20, 0x3A, 0x2C].randomElement() ?? 0, at: place)
          default:
            let end = min(text.count, place + Int.random(in: 1...30, using: &random))
            text.removeSubrange(place..<end)
          }
        }
        guard let head = read(text + [0x0D, 0x0A, 0x0D, 0x0A]).head else { continue }
        heads += 1
        for field in head.headers { #expect(!field.value.utf8.contains { $0 == 13 || $0 == 10 }) }
        guard head.status.hasBody else { continue }
        let lengths = head.headers.values(of: .contentLength)
        #expect(lengths.count <= 1)
        #expect(lengths.allSatisfy { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        #expect(lengths.isEmpty || head.headers[.transferEncoding] == nil)
      }
      #expect(heads > 100)
    }

    @Test(arguments: [Request.Method.get, .head])
    func `lengths are checked only for responses with a body`(_ method: Request.Method) {
      let two = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"
      let same = "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nContent-Length: 5\r\n\r\n"

      #expect((read(two, method) != nil) == (method == .head))
      #expect(read(same, method)?.headers[.contentLength] == (method == .head ? "5, 5, 5" : "5"))
    }

    @Test func `a head may have at most a thousand lines`() {
      let head = { (count: Int, line: String) in
        Array(("HTTP/1.1 200 OK\r\nX: y\r\n" + String(repeating: line, count: count) + "\r\n").utf8)
      }

      for line in ["A: b\r\n", " folded\r\n"] {
        #expect(read(head(999, line)).head != nil)
        #expect(read(head(1_000, line)).failure?.kind == .tooLarge)
      }
      #expect(
        read(head(999, " \(String(repeating: "x", count: 200))\r\n")).head?.headers.count == 1)
    }
  }
#endif
