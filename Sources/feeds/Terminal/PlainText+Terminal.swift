extension PlainText {
  /// Returns a line with its spaces, without what a terminal would obey.
  static func visible(_ line: some StringProtocol) -> String {
    String(String.UnicodeScalarView(line.unicodeScalars.filter { !$0.isUnfitForTerminal }))
  }

  /// Returns a document of JSON in which the characters are escaped that a terminal would obey; they can only
  /// stand in its strings.
  static func escapedJSON(_ document: String) -> String {
    var escaped = ""
    for scalar in document.unicodeScalars {
      if scalar != "\n", scalar.isUnfitForTerminal {
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          let digits = String(unit, radix: 16)
          escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      } else {
        escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
