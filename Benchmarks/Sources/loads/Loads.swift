import Foundation

/// Does a number of loads in one form, one after another, and ends: for counting instructions from outside.
@main
enum Loads {
  static func main() {
    guard let arguments = Arguments() else {
      print("usage: BENCHMARK_SERVER=URL loads FORM COUNT, and FORM is one of:")
      for form in Form.allCases { print("  \(form.rawValue)") }
      exit(64)
    }
    // Not an asynchronous main function: its thread would end while others go on, which valgrind can't bear.
    let over = DispatchSemaphore(value: 0)
    Task.detached {
      let load = arguments.form.load(arguments.url)
      for _ in 0..<arguments.count { await certainly(load) }
      over.signal()
    }
    over.wait()
  }
}

private struct Arguments {
  var form: Form
  var count: Int
  var url: URL

  init?() {
    let words = CommandLine.arguments
    guard words.count == 3, let form = Form(rawValue: words[1]), let count = Int(words[2]),
      let server = ProcessInfo.processInfo.environment["BENCHMARK_SERVER"],
      let url = URL(string: server)
    else { return nil }
    (self.form, self.count) = (form, count)
    self.url = url.appending(path: "items")
  }
}

/// A load that fails costs less, and makes a count a lie.
private func certainly(_ load: () async throws -> Void) async {
  do { try await load() } catch { preconditionFailure("a load failed: \(error)") }
}
