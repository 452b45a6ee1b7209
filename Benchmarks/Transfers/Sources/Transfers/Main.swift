import Foundation
import ResourceLoading

/// Downloads or uploads one file, as its arguments say:
///
///     Transfers download URL FILE one|automatic|2|4|8
///     Transfers upload URL FILE
@main struct Transfers {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 3, let url = URL(string: arguments[2]) else {
      FileHandle.standardError.write(Data("Transfers download|upload URL FILE [PARTS]\n".utf8))
      exit(64)
    }
    let file = URL(filePath: arguments[3])
    let client = Client()
    if arguments[1] == "upload" {
      try await client.load(.void(.upload(.post(url), file: file, resuming: .tus)))
    } else {
      try await client.download(.get(url), to: file) {
        $0.parts = parts(arguments.count > 4 ? arguments[4] : "one")
      }
    }
  }

  private static func parts(_ text: String) -> DownloadOptions.Parts {
    switch text {
    case "2": 2
    case "4": 4
    case "8": 8
    case "automatic": .automatic
    default: .one
    }
  }
}
