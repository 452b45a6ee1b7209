import Foundation
import Testing

@testable import ResourceLoading

@Suite struct SpoolTests {
  private func permissions(_ path: String) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue
  }

  #if os(Linux)
    @Test func `a spool has no name, and can be read while a body of it exists`() throws {
      var spool: Spool? = try Spool()
      let file = try #require(spool?.file)
      let path = try #require(spool?.output.path)
      try spool?.output.write(Data("0123456789".utf8))

      var body = try spool.map { try Request.Body.data(Data()).wireBody(in: $0) }
      spool = nil

      #expect(!FileManager.default.fileExists(atPath: path))
      #expect(try body?.data() == Data("0123456789".utf8))
      var readers = (0..<2).compactMap { _ in body?.makeReader() }
      body = nil
      #expect(try readers[0].next(atMost: 4) == Data("0123".utf8))
      #expect(try readers[1].next(atMost: 2) == Data("01".utf8))
      #expect(try readers[0].next(atMost: 100) == Data("456789".utf8))
      readers = []
      // Its descriptor is closed and may now belong to another file.
      let link = file.path(percentEncoded: false)
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
      #expect(target?.hasPrefix(path) != true)
    }
  #endif

  @Test func `a spool with a name is private, and removed with its last owner`() throws {
    var spool: Spool? = try Spool(keepsName: true)
    let path = try #require(spool?.output.path)

    #expect(try permissions(path) == 0o600)
    #expect(spool?.file.path(percentEncoded: false) == path)
    spool = nil
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `creating a file fails if it exists`() throws {
    let file = try TemporaryFile("mine")
    let path = file.url.path(percentEncoded: false)

    let error = #expect(throws: LoadError.self) { try OutputFile(new: path) }

    #expect(error?.kind == .file)
    #expect(try Data(contentsOf: file.url) == Data("mine".utf8))
  }
}
