#if os(Linux)
  import Foundation
  import Glibc
  import Testing

  @testable import ResourceLoading

  struct OutputFileTests {
    @Test func `a closed file isn't locked, although a new child process still has it`()
      throws
    {
      let path = FileManager.default.temporaryDirectory.appending(path: "output-\(UUID())").path()
      defer { OutputFile.remove(path) }
      let file = try OutputFile(path)
      let link = try #require(file.namelessPath)
      // The descriptors of a child before it runs its program.
      let inherited = dup(try #require(Int32(link.split(separator: "/").last ?? "")))
      defer { close(inherited) }
      #expect(throws: LoadError.self) { try OutputFile(path) }

      file.close()

      try OutputFile(path).close()
    }
  }
#endif
