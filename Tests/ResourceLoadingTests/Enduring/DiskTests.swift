import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite(.inTurn, .serialized, .timeLimit(.minutes(10)))
struct DiskTests {
  private func makeServer() throws -> LoopbackServer {
    try LoopbackServer {
      LoopbackRoute("*") { _ in
        [
          .bytes("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 4194304\r\n\r\n"),
          .repeating(Data(repeating: 7, count: 1 << 16), count: 64),
        ]
      }
    }
  }

  @Test(arguments: [true, false], Engine.allCases)
  func `a file size limit is an error that leaves nothing behind`(
    _ resuming: Bool, _ engine: Engine
  ) async throws {
    let server = try makeServer()
    defer { server.stop() }
    let url = server.url("/")

    // The limit applies to the whole process, so the test needs its own.
    await #expect(processExitsWith: .success) { [url = url as URL, resuming, engine] in
      Watchdog.endsProcess()
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 1 << 20, rlim_max: 1 << 20)
      #if canImport(Glibc)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      #else
        setrlimit(RLIMIT_FSIZE, &limit)
      #endif
      let directory = TemporaryDirectory()
      let file = directory.url.appending(path: "f")
      do {
        _ = try await Client(engine).load(.download(url, to: file, resuming: resuming))
        throw Broken("there is no error")
      } catch let error as LoadError {
        guard error.kind == .file else { throw Broken("\(error)") }
      }
      guard try directory.names.isEmpty else { throw Broken("\(try directory.names)") }
    }
  }

  @Test(arguments: [true, false], Engine.allCases)
  func `a full disk is an error that leaves nothing behind`(_ resuming: Bool, _ engine: Engine)
    async throws
  {
    guard let disk = SmallDisk() else {
      withKnownIssue("no small disk can be made here") { Issue.record("skipped") }
      return
    }
    let server = try makeServer()
    defer { server.stop() }

    let error = await #expect(throws: LoadError.self) {
      try await Client(engine).load(
        .download(server.url(), to: disk.url.appending(path: "f"), resuming: resuming))
    }

    #expect(error?.kind == .file)
    #expect(error?.advice == "Make room on the disk")
    let path = disk.url.path(percentEncoded: false)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
  }
}
