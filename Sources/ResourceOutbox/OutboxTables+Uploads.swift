internal import Foundation
internal import ResourceJSON
internal import ResourceLoading
import ResourceStore

/// An upload that the server is to forget, because its entry is gone.
struct CancelledUpload: Sendable {
  /// The request of the entry, without its body.
  var request: StoredRequest
  var record: UploadRecord
}

// What is uploaded of entries whose upload can be resumed.
extension OutboxTables {
  /// Returns what earlier attempts have uploaded of an entry; `nil` if nothing can be resumed, and
  /// an error if its row is damaged, so that nothing is uploaded twice.
  func upload(of entry: OutboxEntry) throws -> Result<UploadRecord?, LoadError> {
    let records = try connection.rows(
      #"SELECT record FROM "Outbox uploads 1" WHERE entry = ?1"#, [.integer(entry.number)]
    ) { try? JSONDecoder().decode(UploadRecord.self, from: $0.blob(at: 0)) }
    guard let record = records.first else { return .success(nil) }
    return record.map { .success($0) } ?? .failure(.damagedEntry)
  }

  /// Notes that the server is to forget the upload of an entry that is removed or replaced.
  func cancelUpload(of entry: OutboxEntry) throws {
    guard case .success(let record?) = try upload(of: entry), record.hasBegun,
      case .success(var request) = try request(of: entry)
    else { return }
    request.pieces = []
    changes.cancelledUploads.append(CancelledUpload(request: request, record: record))
  }

  /// Stores what is uploaded of an entry.
  ///
  /// - Throws: An error if the entry doesn't belong to a session any more: then another one sends it.
  func store(_ upload: UploadRecord, of entry: OutboxEntry, by session: String) throws {
    guard try isLeased(entry, by: session) else {
      throw LoadError(.outbox, "another process has taken over the entry")
    }
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
  /// - Parameter stored: Called with each record that was stored.
  func prepareUpload(
    _ request: inout Request, of lease: OutboxLease,
    _ stored: @escaping @Sendable (UploadRecord) -> Void
  ) {
    guard request.upload != nil else { return }
    request.upload?.journal = UploadJournal(
      lease.upload, strategies: uploadStrategies, mayRepeat: lease.entry.mayRepeat
    ) { [storage] record in
      do {
        try await storage.write {
          try $0.store(record, of: lease.entry, by: storage.session.id)
        }
        stored(record)
      } catch {
        storage.report(error)
        throw error
      }
    }
  }

  private var uploadStrategies: [String: any UploadStrategy] {
    let strategies =
      settings.uploadStrategies + UploadRecord.ownStrategies
    return Dictionary(strategies.map { ($0.name, $0) }) { first, _ in first }
  }

  /// Cancels the uploads of entries that are removed, until the outbox is stopped. Each is tried
  /// once: the server forgets those that it never hears of when they expire.
  func cancelUploads() async {
    await withDiscardingTaskGroup { group in
      for await upload in storage.cancelledUploads {
        group.addTask { [self] in await cancel(upload) }
      }
    }
  }

  private func cancel(_ upload: CancelledUpload) async {
    guard var request = try? upload.request.request(in: storage.folder) else { return }
    var journal = UploadJournal(
      upload.record, strategies: uploadStrategies, mayRepeat: false
    ) { _ in }
    journal.cancels = true
    request.upload?.journal = journal
    request.options.timeout = .seconds(5)
    _ = try? await client.load(Resource(request) { $0 })
  }
}
