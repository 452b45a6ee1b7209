#if Curl && canImport(CResourceCurl)
  import Foundation

  #if canImport(Glibc)
    import Glibc
  #endif

  /// A process of Python that serves sockets until it is stopped or the tests end.
  ///
  /// It is never waited for: Foundation sees the end of a process only when all processes that were
  /// started beside it have ended as well, because they inherit its descriptors.
  final class PythonServer {
    /// The URL of the port that its script has printed first.
    let url: URL
    private let process: Process
    private let lines: AsyncStream<String>

    /// Returns whether a module is installed.
    static func has(_ module: String) async -> Bool {
      let script = """
        try: import \(module); print("yes", flush=True)
        except ImportError: print("no", flush=True)
        """
      guard let (_, lines) = try? run(script) else { return false }
      return await lines.first { _ in true } == "yes"
    }

    init(_ script: String) async throws {
      (process, lines) = try Self.run(script)
      let port = await lines.first { _ in true } ?? ""
      url = URL(string: "ws://127.0.0.1:\(port)/") ?? URL(filePath: "/")
    }

    deinit { stop() }

    /// Returns the next line that the script prints; `nil` at its end.
    func nextLine() async -> String? { await lines.first { _ in true } }

    /// Kills the server: a process inherits the signals that its creating thread blocks, and the
    /// threads of Dispatch block all that can be.
    func stop() { kill(process.processIdentifier, SIGKILL) }

    private static func run(_ script: String) throws -> (Process, AsyncStream<String>) {
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["python3", "-c", ending + script]
      process.standardOutput = output
      try process.run()
      let (lines, line) = AsyncStream<String>.makeStream()
      let reading = output.fileHandleForReading
      // Not on a thread of the tests, all of which may wait for a server.
      Thread.detachNewThread {
        var bytes = Data()
        while true {
          let piece = reading.availableData
          guard !piece.isEmpty else { break }
          bytes += piece
          while let end = bytes.firstIndex(of: 10) {
            line.yield(String(decoding: bytes[..<end], as: UTF8.self))
            bytes = Data(bytes[(end + 1)...])
          }
        }
        line.finish()
      }
      return (process, lines)
    }

    /// Ends a script whose tests have ended.
    private static let ending = """
      import os, threading, time
      def end_with(parent):
          while os.getppid() == parent: time.sleep(1)
          os._exit(0)
      threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()

      """
  }
#endif
