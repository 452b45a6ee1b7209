import CCurlMulti
import Foundation
import ResourceTracing

/// Does a number of loads in one form, one after another or several at once, and ends: for counting
/// instructions, system calls and the like from outside.
@main
enum Loads {
  static func main() {
    guard let arguments = Arguments() else {
      print("usage: BENCHMARK_SERVER=URL loads FORM COUNT [AT ONCE], and FORM is one of:")
      for form in Form.allCases { print("  \(form.rawValue)") }
      exit(64)
    }
    guard arguments.form != .libcurl else { return driveLibcurl(arguments) }
    // Not an asynchronous main function: its thread would end while others go on, which valgrind
    // can't bear.
    let over = DispatchSemaphore(value: 0)
    Task.detached {
      let exporter = OTLPExporter.patient(arguments.url)
      let load = arguments.form.load(arguments.url, tracingTo: exporter)
      await withTaskGroup(of: Void.self) { group in
        for lane in 0..<arguments.width {
          group.addTask {
            for _ in stride(from: lane, to: arguments.count, by: arguments.width) {
              await certainly(load)
            }
          }
        }
      }
      await exporter.flush()
      over.signal()
    }
    over.wait()
  }

  private static func driveLibcurl(_ arguments: Arguments) {
    let bytes = curl_multi_loads(
      arguments.url.absoluteString, Int32(arguments.count), Int32(arguments.width))
    precondition(bytes >= 0, "a load failed")
  }
}

private struct Arguments {
  var form: Form
  var count: Int
  /// How many at once.
  var width: Int
  var url: URL

  init?() {
    let words = CommandLine.arguments
    guard 3...4 ~= words.count, let form = Form(rawValue: words[1]), let count = Int(words[2]),
      let width = words.count == 4 ? Int(words[3]) : 1, width > 0,
      let server = ProcessInfo.processInfo.environment["BENCHMARK_SERVER"],
      let url = URL(string: server)
    else { return nil }
    (self.form, self.count, self.width) = (form, count, width)
    self.url = url.appending(path: "items")
  }
}

/// A load that fails costs less, and makes a count a lie.
private func certainly(_ load: () async throws -> Void) async {
  do { try await load() } catch { preconditionFailure("a load failed: \(error)") }
}
