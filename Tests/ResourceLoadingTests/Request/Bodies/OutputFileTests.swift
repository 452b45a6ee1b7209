#if os(Linux)
  import Foundation
  import Glibc
  import Testing

  @testable import ResourceLoading

  /// The lock of a file that is written.
  struct OutputFileTests {
    @Test func `a closed file isn't locked, although a program that is being started still has it`()
      throws
    {
      let path = FileManager.default.temporaryDirectory.appending(path: "output-\(UUID())").path()
      defer { OutputFile.remove(path) }
      let file = try OutputFile(path)
      let link = try #require(file.namelessPath)
      // What a child has between its beginning and its program's.
      let inherited = dup(try #require(Int32(link.split(separator: "/").last ?? "")))
      defer { close(inherited) }
      #expect(throws: LoadError.self) { try OutputFile(path) }

      file.close()

      try OutputFile(path).close()
    }
  }
#endif
