import Foundation
import ResourceLoading
import ResourceOutbox
import ResourceStore
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct OutboxFolderTests {
  @Test func `the folder of an outbox is private and isn't a link`() async throws {
    let database = try Database()
    let path = database.file.path(percentEncoded: false) + "-outbox"
    let (store, client) = (try await database.open(), Client())
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)

    await (try Outbox(store: store, client: client)).close()

    #expect(try mode(of: path) == 0o700)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: FileManager.default.temporaryDirectory.path)
    let error = await #expect(throws: LoadError.self) {
      try await Outbox(store: store, client: client)
    }
    #expect(error?.kind == .file)
    #expect(error?.reason == "\(path) isn't a folder of this user's")
  }

  private func mode(of path: String) throws -> Int {
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    return try #require(mode as? NSNumber).intValue
  }
}
