internal import Foundation
internal import ResourceJSON
internal import ResourceLoading
import ResourceStore

// What is uploaded of entries whose upload can be resumed.
extension OutboxTables {
  /// Returns what earlier attempts have uploaded of an entry; `nil` if nothing can be resumed.
  func upload(of entry: OutboxEntry) throws -> UploadRecord? {
    try connection.rows(
      #"SELECT record FROM "Outbox uploads 1" WHERE entry = ?1"#, [.integer(entry.number)]
    ) { try? JSONDecoder().decode(UploadRecord.self, from: $0.blob(at: 0)) }.first ?? nil
  }

  /// Stores what is uploaded of an entry, if it still belongs to a session.
  func store(_ upload: UploadRecord, of entry: OutboxEntry, by session: String) throws {
    guard try isLeased(entry, by: session) else { return }
    try connection.execute(
      #"INSERT OR REPLACE INTO "Outbox uploads 1" VALUES (?1, ?2, ?3)"#,
      [
        .integer(entry.number), .blob(try JSONWriter().encode(upload)), .bool(upload.isSafe),
      ])
  }
}

// Sending.
extension OutboxSender {
  /// Prepares a request whose body is uploaded so that it can be resumed.
  ///
  /// - Parameter latest: Takes the last record of the attempt.
  func prepareUpload(
    _ request: inout Request, of lease: OutboxLease,
    _ latest: @escaping @Sendable (UploadRecord?) -> Void
  ) {
    guard request.upload != nil else { return }
    let strategies =
      settings.uploadStrategies + [ResumableUploads(), TusUploads(), SessionUploads()]
    request.upload?.journal = UploadJournal(
      lease.upload, strategies: Dictionary(strategies.map { ($0.name, $0) }) { first, _ in first },
      mayRepeat: lease.entry.mayRepeat
    ) { [storage] record in
      latest(record)
      guard let record else { return }
      do {
        try await storage.write {
          try $0.store(record, of: lease.entry, by: storage.session.id)
        }
      } catch { storage.report(error) }
    }
  }
}
