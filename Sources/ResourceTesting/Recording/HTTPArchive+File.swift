public import Foundation
import ResourceJSON
public import ResourceLoading
import ResourcePrimitives

extension HTTPArchive {
  /// Reads an archive from bytes.
  ///
  /// - Parameter data: A HAR file, UTF-8 with or without a byte order mark.
  /// - Throws: A `LoadError` of kind `parsing` with the position and the reason if the file can't
  ///   be read.
  public init(data: Data) throws(LoadError) {
    let name = URL(filePath: "/archive.har")
    try self.init(data: data, from: name)
  }

  /// Reads an archive from a file.
  ///
  /// - Parameter file: The URL of the file.
  /// - Throws: A `LoadError` of kind `file` if there is no such file or it can't be read, and of
  ///   kind `parsing`, with line and column, if it isn't a HAR file.
  public init(contentsOf file: URL) throws(LoadError) {
    let data: Data
    do {
      data = try Data(contentsOf: file)
    } catch {
      throw LoadError(
        .file,
        "the recording \(file.path(percentEncoded: false)) can't be read: "
          + (POSIXError(behind: error)?.text ?? "\(error)"), underlying: error)
    }
    try self.init(data: data, from: file)
  }

  private init(data: Data, from file: URL) throws(LoadError) {
    let response = ResourceLoading.Response(url: file, method: .get, body: data)
    do {
      self = try Resource<HTTPArchive>(json: file).parser(response)
    } catch {
      var failure =
        (error as? DecodingError).map {
          LoadError(decoding: $0, of: HTTPArchive.self, in: response)
        } ?? error as? LoadError ?? LoadError(.parsing, "\(error)", underlying: error)
      let entry = Self.entry(of: error as? DecodingError, in: data).map { "\($0): " } ?? ""
      failure.reason =
        "the recording \(file.lastPathComponent) can't be read: \(entry)\(failure.reason)"
      failure.advice = "Use a HAR file, version 1.2"
      throw failure
    }
  }

  /// Returns the number of the entry that caused an error, and what is known about its request.
  private static func entry(of error: DecodingError?, in data: Data) -> String? {
    let path =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .keyNotFound(_, let context), .dataCorrupted(let context):
        context.codingPath
      default: [] as [any CodingKey]
      }
    guard path.count > 2, path[1].stringValue == "entries", let index = path[2].intValue else {
      return nil
    }
    let request = (try? JSONValue(parsing: data))?["log"]?["entries"]?[index]?["request"]
    let known = [request?["method"]?.string, request?["url"]?.string.map { SecretText.redact($0) }]
    return
      (["entry number \(index + 1)"] + [known.compactMap(\.self).joined(separator: " ").printable])
      .filter { !$0.isEmpty }.joined(separator: ", ")
  }
}

extension HTTPArchive {
  /// The bytes of a HAR file, indented so that versions can be compared.
  ///
  /// - Throws: What encoding throws.
  public func data() throws -> Data { try Self.data(self, entries.map(Self.data(of:))) }

  /// Writes the archive into a file, which is replaced as a whole. Only the owner can read a new
  /// file.
  ///
  /// - Parameter file: The URL of the file, in an existing directory.
  /// - Throws: A `LoadError` of kind `file` if it can't be written.
  public func write(to file: URL) throws { try Self.write(data(), to: file) }

  static func data(of entry: Entry) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try JSONWriter(encoder).encode(entry)
  }

  /// Joins entries that are already encoded, so that adding an entry doesn't encode the others
  /// again.
  static func data(_ archive: HTTPArchive, _ entries: [Data]) throws -> Data {
    var frame = archive
    frame.entries = []
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var data = try JSONWriter(encoder).encode(frame)
    // The members are sorted, so what follows the list has a fixed length.
    let end = Data(#"],"version":"1.2"}}"#.utf8)
    data.removeLast(end.count)
    for (index, entry) in entries.enumerated() {
      data.append(Data((index == 0 ? "\n" : ",\n").utf8))
      data.append(entry)
    }
    return data + Data("\n".utf8) + end + Data("\n".utf8)
  }

  static func write(_ data: Data, to file: URL) throws {
    let path = file.path(percentEncoded: false)
    let output = try OutputFile(new: path + ".\(UUID().uuidString).part", for: path)
    defer { output.close() }
    do {
      try output.write(data)
      try output.move(to: path)
    } catch {
      OutputFile.remove(output.path)
      throw error
    }
  }
}
