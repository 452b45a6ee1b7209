import Foundation

final class RunningProgram: Sendable {
  struct End: Sendable {
    let output: String
    let errors: String
    /// The exit status, or the signal that ended it.
    let status: Int32

    /// The lines of the output that contain a link.
    var links: [String] {
      output.split(separator: "\n").map(String.init).filter { $0.contains("://") }
    }
  }

  private let process: Process
  private let output: Task<Data, Never>
  private let errors: PipeReader
  private let ended: AsyncStream<Void>

  init(_ words: [String], in workplace: Workplace) throws {
    process = Process()
    process.executableURL = BuiltProgram.url
    process.arguments = words
    process.environment = BuiltProgram.environment(home: workplace.folder)
    process.standardInput = FileHandle.nullDevice
    let (outputPipe, errorPipe) = (Pipe(), Pipe())
    process.standardOutput = outputPipe
    process.standardError = errorPipe
    let (ended, ending) = AsyncStream.makeStream(of: Void.self)
    self.ended = ended
    process.terminationHandler = { _ in ending.finish() }
    try process.run()
    let outputReader = PipeReader(outputPipe)
    output = Task { await outputReader.all() }
    errors = PipeReader(errorPipe)
  }

  func waitForError(_ text: String) async { await errors.wait(for: text) }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Waits for its end, and kills it if it doesn't end in time.
  func end() async -> End {
    let patience = Patience(with: process.processIdentifier)
    for await _ in ended {}
    patience.end()
    let status = process.terminationStatus
    return End(
      output: String(decoding: await output.value, as: UTF8.self),
      errors: String(decoding: await errors.all(), as: UTF8.self), status: status)
  }
}
