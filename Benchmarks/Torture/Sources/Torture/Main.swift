import Foundation

/// `Torture FOLDER SERVER`: uses everything that meets the system, and then, when no call fails any
/// more, checks what was acknowledged. Status 0 if nothing was lost; what failed is printed.
@main
enum Main {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let server = URL(string: arguments[2]) else {
      print("usage: Torture FOLDER SERVER")
      exit(64)
    }
    let folder = URL(filePath: arguments[1], directoryHint: .isDirectory)
    call("torture_prepare")
    let work = try Work(folder: folder, server: server)
    call("torture_begin")
    await work.run()
    call("torture_end")
    let losses = await work.losses()
    for loss in losses { say("LOST: \(loss)") }
    exit(losses.isEmpty ? 0 : 1)
  }

  /// Calls a function of the library that is preloaded; without it nothing fails.
  private static func call(_ name: String) {
    guard let address = dlsym(nil, name) else { return }
    unsafeBitCast(address, to: (@convention(c) () -> Void).self)()
  }
}

/// Prints a line at once, for the process may end with the next.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
