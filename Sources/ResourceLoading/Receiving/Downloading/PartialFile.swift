import Foundation

/// The part of a file that has come so far, and beside it a record of what it is a part of.
struct PartialFile: Sendable {
  let path: String
  private var recordPath: String { path + ".json" }

  /// What is written down beside the part.
  struct Record: Codable, Sendable, Hashable {
    var url: URL
    /// What `If-Range` asks with: a strong entity tag, or a date that is as good as one.
    var validator: String
    /// How many bytes the whole has, if that is known.
    var total: Int?
    /// How many bytes there are; known from the file.
    var length = 0

    private enum CodingKeys: CodingKey { case url, validator, total }
  }

  /// - Parameters:
  ///   - file: The whole file to be.
  ///   - stays: Whether the next load is to find the part again.
  init(of file: URL, stays: Bool) {
    let path = file.path(percentEncoded: false)
    self.path = stays ? path + ".part" : "\(path).\(UUID().uuidString.prefix(8)).part"
  }
}

extension PartialFile {
  /// Opens the part, or makes an empty one.
  func open() throws -> OutputFile { try OutputFile(path) }

  /// What there is of a URL's content; `nil` if there is nothing that can be completed.
  func record(for url: URL, in output: OutputFile) throws -> Record? {
    let length = try output.length
    guard length > 0, let data = FileManager.default.contents(atPath: recordPath),
      var record = try? JSONDecoder().decode(Record.self, from: data), record.url == url,
      record.total.map({ length <= $0 }) ?? true
    else { return nil }
    record.length = length
    return record
  }

  /// Writes down what the part belongs to, before the first byte of it; `nil` if it can't be completed later.
  func keep(_ record: Record?) throws {
    guard let record else { return OutputFile.remove(recordPath) }
    do {
      try JSONEncoder().encode(record).write(to: URL(filePath: recordPath), options: .atomic)
    } catch {
      let reason = (error as NSError).localizedDescription
      throw LoadError(
        .file, "the file \(recordPath) can't be written: \(reason)", underlying: error)
    }
  }

  /// Puts the whole file in its place.
  func complete(_ output: OutputFile, as file: URL) throws {
    try output.synchronize()
    try output.move(to: file.path(percentEncoded: false))
    OutputFile.remove(recordPath)
    output.close()
  }

  /// Removes everything. The file goes before the lock on it.
  func discard(_ output: OutputFile) {
    OutputFile.remove(path)
    OutputFile.remove(recordPath)
    output.close()
  }
}

extension PartialFile.Record {
  /// The record for a response that begins; `nil` if nothing in it identifies these very bytes.
  init?(_ head: ResponseHead, at url: URL, total: Int?) {
    let coding = head.headers[.contentEncoding]?.lowercased() ?? "identity"
    guard coding == "identity", let validator = head.strongValidator else { return nil }
    self.init(url: url, validator: validator, total: total)
  }
}

extension ResponseHead {
  /// A strong entity tag (RFC 9110 section 8.8.3), or a date of modification that is a minute older than the
  /// response and so as good as one (section 8.8.2.2).
  var strongValidator: String? {
    if let tag = headers[.eTag]?.trimmingSpaces() {
      return tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count >= 2 ? tag : nil
    }
    guard let text = headers[.lastModified], let modified = HTTPDate(text)?.date,
      let date = headers[.date].flatMap({ HTTPDate($0)?.date }),
      date.timeIntervalSince(modified) >= 60
    else { return nil }
    return text.trimmingSpaces()
  }
}
