/// Texts that are secret by their form, whatever their names: JSON Web Tokens (RFC 7519), private
/// keys (RFC 7468), credentials after `Bearer` or `Basic`, and tokens with the prefixes of
/// well-known services.
enum SecretShape {
  /// Returns the secret that begins at a place; `nil` if there is none.
  static func range(at place: Int, in bytes: [UInt8]) -> Range<Int>? {
    guard starts[Int(bytes[place])] else { return nil }
    let rest = bytes[place...]
    if bytes[place] == UInt8(ascii: "-") { return privateKey(in: rest) }
    // Each run of letters is read once.
    guard place == 0 || !isTokenByte[Int(bytes[place - 1])] else { return nil }
    switch bytes[place] {
    case UInt8(ascii: "B"), UInt8(ascii: "b"): return credential(in: rest)
    case UInt8(ascii: "e"): return webToken(in: rest)
    default: return prefixed(in: rest)
    }
  }

  /// The letters with which one begins.
  private static let starts: [Bool] = {
    var table = [Bool](repeating: false, count: 256)
    for byte in "-Bbe".utf8 { table[Int(byte)] = true }
    for (prefix, _) in prefixes { table[Int(prefix[0])] = true }
    return table
  }()

  /// The bytes of tokens: those of base64url, without the dots between parts.
  private static let isTokenByte: [Bool] = (0...255).map { byte in
    let byte = UInt8(byte)
    return byte.isASCIILetter || byte.isASCIIDigit || "-_".utf8.contains(byte)
  }

  private static func endOfRun(
    _ bytes: ArraySlice<UInt8>, from start: Int, with others: String = ""
  ) -> Int {
    bytes[start...].firstIndex { !isTokenByte[Int($0)] && !others.utf8.contains($0) }
      ?? bytes.endIndex
  }
}

extension SecretShape {
  /// Three or five parts, of which the first is an object of JSON; a text that was cut has fewer.
  private static func webToken(in bytes: ArraySlice<UInt8>) -> Range<Int>? {
    let start = bytes.startIndex
    guard bytes.starts(with: "eyJ".utf8) else { return nil }
    let head = endOfRun(bytes, from: start)
    guard head - start >= 12, head < bytes.endIndex, bytes[head] == UInt8(ascii: ".") else {
      return nil
    }
    return start..<endOfRun(bytes, from: head, with: ".")
  }

  /// What is between the lines of a private key; all of the rest if the text was cut.
  private static func privateKey(in bytes: ArraySlice<UInt8>) -> Range<Int>? {
    let (begin, end) = (Array("-----BEGIN ".utf8), Array("-----END ".utf8))
    guard bytes.starts(with: begin) else { return nil }
    let line = bytes.dropFirst(begin.count).prefix(64)
    guard let dashes = line.firstRange(of: Array("-----".utf8)),
      line[..<dashes.lowerBound].firstRange(of: Array("PRIVATE KEY".utf8)) != nil
    else { return nil }
    let rest = bytes[dashes.upperBound...]
    return dashes.upperBound..<(rest.firstRange(of: end)?.lowerBound ?? bytes.endIndex)
  }

  /// The text after the name of a scheme (RFC 7617, RFC 6750), if it isn't a word.
  private static func credential(in bytes: ArraySlice<UInt8>) -> Range<Int>? {
    let word = bytes.prefix(7).prefix { $0 != 0x20 }
    let isScheme = ["bearer", "basic"].contains { Secrets.folded(word).elementsEqual($0.utf8) }
    guard isScheme, word.endIndex < bytes.endIndex, bytes[word.endIndex] == 0x20 else { return nil }
    let start = word.endIndex + 1
    let end = endOfRun(bytes, from: start, with: ".~+/=")
    let token = bytes[start..<end]
    let isRandom =
      token.contains { $0.isASCIIDigit || $0 == UInt8(ascii: "=") }
      || token.dropFirst().contains { (0x41...0x5A).contains($0) }
    return token.count >= 8 && isRandom ? start..<end : nil
  }

  private static func prefixed(in bytes: ArraySlice<UInt8>) -> Range<Int>? {
    for (prefix, count) in prefixes where bytes.starts(with: prefix) {
      let end = endOfRun(bytes, from: bytes.startIndex + prefix.count, with: ".")
      if end - bytes.startIndex - prefix.count >= count { return bytes.startIndex..<end }
    }
    return nil
  }

  /// The prefixes of well-known services' tokens, with the minimum number of bytes after them.
  private static let prefixes: [(prefix: [UInt8], count: Int)] = [
    ("ghp_", 20), ("gho_", 20), ("ghu_", 20), ("ghs_", 20), ("ghr_", 20), ("github_pat_", 20),
    ("glpat-", 16), ("sk_live_", 10), ("sk_test_", 10), ("rk_live_", 10), ("rk_test_", 10),
    ("whsec_", 16), ("sk-", 32), ("xoxb-", 10), ("xoxp-", 10), ("xoxa-", 10), ("xoxs-", 10),
    ("AKIA", 16), ("ASIA", 16), ("AIza", 30), ("ya29.", 16), ("SG.", 20), ("npm_", 30),
    ("pypi-", 30), ("hf_", 30), ("dop_v1_", 30), ("dckr_pat_", 20), ("shpat_", 20), ("shpss_", 20),
    ("AGE-SECRET-KEY-1", 20),
  ].map { (Array($0.0.utf8), $0.1) }
}
