import Foundation

enum BuiltProgram {
  static var url: URL {
    let tests = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
    let folder = tests?.deletingLastPathComponent() ?? Bundle.main.bundleURL
    return folder.appending(path: "feeds")
  }

  /// An environment without anything of the machine's user.
  ///
  /// - Parameter home: Where the user's files would be.
  static func environment(home: URL) -> [String: String] {
    ["HOME": home.path, "XDG_DATA_HOME": home.appending(path: "data").path, "TZ": "UTC"]
  }
}
