extension ResponseHead {
  /// How many bytes the header fields have in HTTP/1.1, or nearly so.
  var headerSize: Int {
    headers.reduce(0) { $0 + $1.name.rawValue.utf8.count + $1.value.utf8.count + 4 }
  }

  /// How many bytes the decoded body will have, as far as the head tells: `nil` if it is coded, or framed
  /// without a length.
  var bodySize: Int? {
    guard headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true else {
      return nil
    }
    let lengths = Set(headers.values(of: .contentLength).map { $0.trimmingSpaces() })
    guard lengths.count == 1, let length = lengths.first.flatMap({ Int($0) }), length >= 0 else {
      return nil
    }
    return length
  }
}
