import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .serialized, .timeLimit(.minutes(10)))
struct MemoryTests {
  // A URLSession can't slow down a server. Bytes that arrive faster than they are written stay in
  // memory.
  @Test(arguments: Engine.allCases.filter { $0 != .urlSession })
  func `a download of 256 MB takes hardly any memory`(_ engine: Engine) async throws {
    let size = 256 << 20
    let server = try LoopbackServer {
      LoopbackRoute("GET /small") { _ in .response(body: "ok") }
      LoopbackRoute("GET /large") { _ in
        [
          .bytes("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"),
          .repeating(Data(repeating: 7, count: 1 << 20), count: 256),
        ]
      }
    }
    defer { server.stop() }
    let (small, large) = (server.url("/small"), server.url("/large"))

    await #expect(processExitsWith: .success) {
      [engine, small = small as URL, large = large as URL] in
      Watchdog.endsProcess()
      let directory = TemporaryDirectory()
      let client = Client(engine)
      try await client.load(.void(small))
      let before = ProcessCensus.now

      let download = try await client.load(
        .download(large, to: directory.url.appending(path: "large")))

      let grown = ProcessCensus.peak - before.memory
      guard download.size == 256 << 20 else { throw Broken("\(download.size) bytes") }
      guard grown < 16 << 10 else { throw Broken("grown by \(grown) KiB") }
    }
  }

  @Test(arguments: Engine.allCases)
  func `a thousand concurrent loads of 84 KB take turns`(_ engine: Engine) async throws {
    let body = Data(repeating: 120, count: 84 << 10)
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: body) } }
    defer { server.stop() }
    let url = server.url("/")

    await #expect(processExitsWith: .success) { [engine, url = url as URL] in
      Watchdog.endsProcess()
      let client = Client(engine)
      try await client.load(.void(url))
      let before = ProcessCensus.now

      let sizes = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 1...1000 { group.addTask { try await client.load(.data(url)).count } }
        return try await group.reduce(into: 0) { $0 += $1 }
      }

      let grown = ProcessCensus.peak - before.memory
      guard sizes == 1000 * 84 << 10 else { throw Broken("\(sizes) bytes") }
      // All of them at once would take more than 84 MiB. The tasks of the loads and their callers
      // take 16 MiB in a debug build, and each thread of a URLSession has its own heap with some
      // unused room.
      guard grown < 32 << 10 else { throw Broken("grown by \(grown) KiB") }
      let after = ProcessCensus.now
      guard after.threads <= before.threads + 32, after.descriptors <= before.descriptors + 48
      else {
        throw Broken("\(before) \(after)")
      }
    }
    #expect(server.statistics.peakOpen <= 24)
  }
}

extension MemoryTests {
  @Test(arguments: Means.allCases, [false, true])
  func `a file is read while it is uploaded`(
    _ means: Means, _ isMultipart: Bool
  ) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { .response(body: "\($0.body.count)") } }
    defer { server.stop() }
    let directory = TemporaryDirectory()
    let file = directory.url.appending(path: "large")
    #expect(FileManager.default.createFile(atPath: file.path(percentEncoded: false), contents: nil))
    try FileHandle(forWritingTo: file).truncate(atOffset: 96 << 20)
    let url = server.url("/")

    await #expect(processExitsWith: .success) {
      [means, url = url as URL, file = file as URL, isMultipart = isMultipart as Bool] in
      Watchdog.endsProcess()
      let loader = means.makeLoader()
      _ = try await loader.load(.text(Request.put(url).body(.text("small"))))
      let before = ProcessCensus.now
      let body: Request.Body = isMultipart ? .multipart([.file("f", file)]) : .file(file)

      let count = try await loader.load(.text(Request.put(url).body(body)))

      let grown = ProcessCensus.peak - before.memory
      guard let count = Int(count), count >= 96 << 20 else { throw Broken("\(count) bytes") }
      guard grown < 48 << 10 else { throw Broken("grown by \(grown) KiB") }
    }
  }
}

/// The failures that the child process found.
struct Broken: Error {
  var what: String

  init(_ what: String) {
    self.what = what
    FileHandle.standardError.write(Data("broken: \(what)\n".utf8))
  }
}

extension ProcessCensus {
  /// The peak memory of the process in KiB.
  static var peak: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
  }
}
