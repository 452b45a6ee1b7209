import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The program on its own pseudo-terminal, on which the test presses keys.
final class TerminalSession: Sendable {
  private let process: pid_t
  private let terminal: FileHandle
  private let screen: PipeReader

  /// Starts the program as the leader of the terminal's session.
  init(_ words: [String], in workplace: Workplace) throws {
    var (main, other): (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&main, &other, nil, nil, &size) == 0, let name = ttyname(other) else {
      throw POSIXError(.ENOTTY)
    }
    defer { close(other) }
    let path = String(cString: name)
    terminal = FileHandle(fileDescriptor: main, closeOnDealloc: true)
    process = try Self.spawn(
      words, terminal: path, BuiltProgram.environment(home: workplace.folder))
    screen = PipeReader(terminal)
  }

  /// Waits for the program's end, kills it if it doesn't end in time, and returns its output and
  /// exit status.
  func end() async -> (output: String, status: Int32) {
    let patience = Patience(with: process)
    defer { patience.end() }
    let output = String(decoding: await screen.all(), as: UTF8.self)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    return (output.replacing("\r\n", with: "\n"), status >> 8 & 0xFF)
  }
}

extension TerminalSession {
  #if canImport(Glibc)
    /// `POSIX_SPAWN_SETSID`, which Swift doesn't import there.
    private static let inNewSession: Int16 = 0x80
  #else
    private static let inNewSession = Int16(POSIX_SPAWN_SETSID)
  #endif

  private static func spawn(
    _ words: [String], terminal: String, _ environment: [String: String]
  ) throws -> pid_t {
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that a session's leader opens is its controlling terminal, so that Ctrl-C
    // reaches it.
    posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Self.inNewSession)
    let path = BuiltProgram.url.path
    var arguments = ([path] + words).map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, path, &actions, &attributes, &arguments, &variables)
    guard code == 0 else { throw POSIXError(.init(rawValue: code) ?? .ENOENT) }
    return process
  }
}
