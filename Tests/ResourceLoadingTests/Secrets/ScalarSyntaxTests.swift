import Foundation
import ResourcePrimitives
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceLoading

/// A delimiter and an accent after it are one character. In bytes, the delimiter is still there.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct ScalarSyntaxTests {
  private static let accent = "\u{301}"
  private static let isThere = FileManager.default.isExecutableFile(atPath: "/bin/bash")

  private func request(_ value: String) throws -> [Request] {
    let url = try #require(URL(string: "https://example.org/"))
    return [
      Request.get(url).header("X-One", value), Request(Request.Method(rawValue: value), url: url),
      Request.put(url).json([value: value]), Request.put(url).multipart([.field(value, value)]),
      Request.put(url).multipart([.data("a", Data(), filename: value)]),
      Request.put(url).multipart([.json("a", [value: 1])]),
      Request.put(url).body(.file(URL(filePath: "/nowhere/" + value))),
    ]
  }

  @Test(.enabled(if: isThere, "needs bash"), arguments: ["", accent, "\u{FE0F}", "\u{200D}"])
  func `no value in a cURL line ends its quotes`(_ mark: String) throws {
    let folder = try TemporaryFile("")
    let path = folder.url.path(percentEncoded: false) + ".made"

    for quote in ["'", "\"", "\\'", "`", "$("] {
      let value = "a\(quote)\(mark);touch \(path);echo \(quote)\(mark)"
      for request in try request(value) {
        for text in [request.curlCommand, request.curlCommand + "\n"] {
          let process = Process()
          process.executableURL = URL(filePath: "/bin/bash")
          // A function replaces the program.
          process.arguments = ["-c", "curl() { :; }\n" + text]
          process.standardError = FileHandle.nullDevice
          try process.run()
          process.waitUntilExit()
          #expect(!FileManager.default.fileExists(atPath: path), "\(text)")
          try? FileManager.default.removeItem(atPath: path)
        }
      }
    }
  }

  @Test(arguments: ["", accent])
  func `no name or type in a cURL line names a file`(_ mark: String) throws {
    let url = try #require(URL(string: "https://example.org/"))
    let types: [MediaType] = [
      MediaType(rawValue: "a/b;\(mark)headers=@/etc/hostname"),
      MediaType(rawValue: ";headers=</etc/hostname"),
      MediaType(rawValue: "a/b,\(mark)</etc/hostname"),
    ]
    for type in types {
      let part = Multipart.Part.data("n=\(mark)@/etc/hostname", Data("{}".utf8), as: type)
      let command = Request.put(url).multipart([part]).curlCommand
      #expect(!command.contains(";headers="), "\(command)")
      #expect(
        !command.utf8.split(separator: UInt8(ascii: " ")).contains { word in
          String(decoding: word, as: UTF8.self).hasPrefix("'n=")
        }, "\(command)")
    }
    let secret = Multipart.Part.data("password", Data([0, 1]), filename: "token=x;y")
    let command = Request.put(url).multipart([secret]).curlCommand
    #expect(
      command.contains(#"-F 'password="<redacted>";filename="token=<redacted>;y""#), "\(command)")
    let option = Request(.get, .init(encoded: "-\(mark)K/etc/passwd"))
    #expect(option.curlCommand.hasPrefix("curl --url "), "\(option.curlCommand)")
  }

  @Test func `a cookie's name ends at the first equals sign, and an attribute at its semicolon`()
    throws
  {
    let url = try #require(URL(string: "https://a.example.org/x/y"))
    let date = Date(timeIntervalSince1970: 0)

    let marked = try #require(
      Cookie("sid=\(Self.accent)1;\(Self.accent)a=b; Secure", from: url, at: date))
    #expect(marked.name == "sid" && marked.isSecure)
    #expect(Array(marked.value.unicodeScalars) == ["\u{301}", "1"])
    // The Greek question mark, which is equal to a semicolon as a character, is a part of the
    // value.
    let greek = try #require(Cookie("sid=a\u{37E}Domain=example.org", from: url, at: date))
    #expect(
      !greek.includesSubdomains && greek.value.utf8.count == "a\u{37E}Domain=example.org".utf8.count
    )
    #expect(Cookie("__Host-\(Self.accent)a=b", from: url, at: date) == nil)
    #expect(Cookie("a=b; Path=/\(Self.accent)x", from: url, at: date)?.path.utf8.count == 4)
  }

  @Test func `every cookie of a request is a secret of its own`() throws {
    let url = try #require(URL(string: "https://example.org/"))
    let request = Request.get(url).header(.cookie, "a=swordfish-one;\(Self.accent)b=swordfish-two")

    let redactor = Redactor(request)

    #expect(redactor.redact("swordfish-two", redactor.known) == "<redacted>")
    #expect(redactor.redact("swordfish-one", redactor.known) == "<redacted>")
  }

  @Test func `parameters of media types and directives are found after an accented delimiter`()
    throws
  {
    let type = MediaType(rawValue: "text/html;\(Self.accent)x=y; charset=\"u\(Self.accent)tf-8\"")
    #expect(type.essence == "text/html")
    #expect(type.parameter("charset")?.unicodeScalars.count == 6)
    #expect(MediaType(rawValue: "a/b\u{37E}charset=x").parameter("charset") == nil)

    let url = try #require(URL(string: "https://example.org/"))
    let strict = StrictTransportSecurity()
    strict.note(
      ["Strict-Transport-Security": "a=\(Self.accent);\(Self.accent)b; max-age=60"], from: url)
    #expect(strict.learned.map(\.host) == ["example.org"])
  }

  @Test func `a reference is split at the bytes of its delimiters`() throws {
    let base = try #require(URL(string: "https://example.org/a/b"))

    #expect(
      URL(reference: "c?\(Self.accent)d#\(Self.accent)e", from: base)?.absoluteString
        == "https://example.org/a/c?%CC%81d#%CC%81e")
    #expect(
      URL(reference: "../\(Self.accent)d", from: base)?.absoluteString
        == "https://example.org/%CC%81d")
    #expect(URL(reference: "//\(Self.accent)d/e", from: base)?.host() != "example.org")
  }
}
