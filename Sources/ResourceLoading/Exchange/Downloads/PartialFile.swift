import Foundation
import ResourceJSON
import ResourcePrimitives

/// The part of a file that has arrived so far, and beside it a record of what it is a part of. The
/// name of the part depends on that of the file alone, so that parts don't pile up when processes
/// are killed.
struct PartialFile: Sendable {
  let path: String
  /// The path of the complete file, for errors.
  private let name: String
  private var recordPath: String { path + ".json" }
  /// The record while it is written, before it replaces the one before.
  private var newRecordPath: String { recordPath + ".new" }

  /// The record beside the part. It has no secrets: the URL, which may be signed, is hashed.
  struct Record: Codable, Sendable, Hashable {
    /// The SHA-256 of the URL.
    var urlHash: String
    /// The value of `If-Range`: a strong entity tag, or a date that is as good as one.
    var validator: String
    /// The number of bytes in the complete file, if it is known.
    var total: Int?
    /// The number of bytes in the part, which isn't stored but that of the file.
    var length = 0

    private enum CodingKeys: CodingKey { case urlHash, validator, total }
  }

  /// - Parameters:
  ///   - file: The location of the complete file.
  ///   - stays: Whether the next load can find the part again.
  init(of file: URL, stays: Bool) {
    let hidden = file.deletingLastPathComponent().appending(
      path: ".\(file.lastPathComponent).part", directoryHint: .notDirectory)
    name = file.path(percentEncoded: false)
    path = stays ? name + ".part" : hidden.path(percentEncoded: false)
  }
}

extension PartialFile {
  /// Opens the part, or creates an empty one.
  func open() throws -> OutputFile { try OutputFile(path, for: name) }

  /// Returns the record of a part of a URL's content; `nil` if there is none that can be completed.
  func record(for url: URL, in output: OutputFile) throws -> Record? {
    let length = try output.length
    guard length > 0, let data = OutputFile.read(recordPath, atMost: Self.longestRecord),
      var record = try? JSONDecoder().decode(Record.self, from: data),
      record.urlHash == Record.hash(of: url), record.validator.isFieldValue,
      record.total.map({ length <= $0 }) ?? true
    else { return nil }
    record.length = length
    return record
  }

  /// Writes the record before the first byte of the part; `nil` removes it, if the part can't be
  /// completed later.
  ///
  /// A process that is killed meanwhile leaves a record that can't be read, which is ignored.
  func keep(_ record: Record?) throws {
    guard let record else { return OutputFile.remove(recordPath) }
    let output = try OutputFile(recordPath, for: name)
    defer { output.close() }
    try output.cut(to: 0)
    try output.write(JSONWriter().encode(record))
  }

  /// The record beside a part that consists of several ranges; see ``PartsFile``. Its names differ
  /// from those of ``Record``, so that neither is taken for the other.
  struct PartsRecord: Codable, Sendable, Hashable {
    /// The SHA-256 of the URL.
    var urlHash: String
    /// The strong validator of the content.
    var contentTag: String
    /// The number of bytes in the complete file, which is that of the part, too.
    var size: Int
    /// What is on the disk.
    var written: ByteRanges
  }

  /// Returns the record of a part that consists of several ranges of a URL's content; `nil` if
  /// there is none that can be completed.
  func partsRecord(for url: URL, in output: OutputFile) throws -> PartsRecord? {
    let length = try output.length
    guard length > 0, let data = OutputFile.read(recordPath, atMost: Self.longestRecord),
      let record = try? JSONDecoder().decode(PartsRecord.self, from: data),
      record.urlHash == Record.hash(of: url), record.contentTag.isFieldValue,
      record.size == length, record.written.ranges.last.map({ $0.upperBound <= length }) ?? true
    else { return nil }
    return record
  }

  /// Replaces the record atomically. What it says is on the disk must be there before.
  func keep(_ record: PartsRecord) throws {
    let output = try OutputFile(newRecordPath, for: name)
    defer { output.close() }
    try output.cut(to: 0)
    try output.write(JSONWriter().encode(record))
    try output.synchronize()
    try output.move(to: recordPath)
  }

  /// Removes a record for good, before the part gets other content.
  func forget() {
    guard OutputFile.read(recordPath, atMost: Self.longestRecord) != nil else { return }
    OutputFile.remove(recordPath)
    systemSynchronizeDirectory(of: recordPath)
  }

  /// The maximum number of bytes in a record; much more than headers may have.
  private static var longestRecord: Int { 1 << 20 }

  /// Moves the complete file to its location.
  ///
  /// - Parameters:
  ///   - output: The part, which is complete.
  ///   - file: The location.
  ///   - permissions: Its permissions; `nil` for those of the file that it replaces.
  ///   - isWanted: Called before the file is moved. After `false` it stays where it is.
  func complete(
    _ output: OutputFile, as file: URL, permissions: UInt16? = nil,
    _ isWanted: () -> Bool = { true }
  ) throws {
    try output.synchronize()
    guard isWanted() else { throw CancellationError() }
    try output.move(to: file.path(percentEncoded: false), permissions: permissions)
    removeRecords()
    output.close()
  }

  /// Removes the part and the record. The file is removed before its lock is released.
  func discard(_ output: OutputFile) {
    OutputFile.remove(path)
    removeRecords()
    output.close()
  }

  private func removeRecords() {
    OutputFile.remove(recordPath)
    OutputFile.remove(newRecordPath)
  }
}

extension PartialFile.Record {
  /// Creates the record for a response; `nil` if it has no validator of exactly these bytes.
  init?(_ head: ResponseHead, at url: URL, total: Int?) {
    let coding = head.headers[.contentEncoding]?.lowercased() ?? "identity"
    guard coding == "identity", let validator = head.strongValidator else { return nil }
    self.init(urlHash: Self.hash(of: url), validator: validator, total: total)
  }

  static func hash(of url: URL) -> String {
    SecureHash.hexadecimal(SecureHash.sha256(url.absoluteString.utf8))
  }
}

extension ResponseHead {
  /// See ``Headers/strongValidator``.
  var strongValidator: String? { headers.strongValidator }
}

extension Headers {
  /// A strong entity tag (RFC 9110 section 8.8.3), or a date of modification that is a minute older
  /// than the response and so as good as one (section 8.8.2.2).
  package var strongValidator: String? {
    if let tag = self[.eTag]?.trimmingSpaces() {
      return tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count >= 2 ? tag : nil
    }
    guard let text = self[.lastModified], let modified = HTTPDate(text)?.date,
      let date = self[.date].flatMap({ HTTPDate($0)?.date }), date.timeIntervalSince(modified) >= 60
    else { return nil }
    return text.trimmingSpaces()
  }
}

/// A `Content-Range` (RFC 9110 section 14.4).
package struct ContentRange: Sendable, Hashable {
  /// The 0-based range of bytes; `nil` for `*`, in a response without any.
  package var bytes: ClosedRange<Int>?
  /// The number of bytes in the complete content; `nil` for `*`.
  package var total: Int?

  /// Reads `bytes 0-499/1234`, `bytes 0-499/*` and `bytes */1234`; `nil` for anything else, and for
  /// a range whose length can't be counted.
  package init?(_ text: String) {
    let words = text.trimmingSpaces().split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    if parts[1] != "*" {
      guard let total = Self.number(parts[1]) else { return nil }
      self.total = total
    }
    guard parts[0] != "*" else {
      if total == nil { return nil }
      return
    }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
      first <= last, last < total ?? .max
    else { return nil }
    bytes = first...last
  }

  private static func number(_ text: Substring) -> Int? {
    text.hasOnlyDigits ? Int(text) : nil
  }
}
