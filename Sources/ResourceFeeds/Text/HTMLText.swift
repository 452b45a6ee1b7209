internal import ResourcePrimitives

/// Extracts the text of HTML in one pass. The time is proportional to the length, even if the HTML
/// is broken.
///
/// A `<` begins a tag only before a letter, `/`, `!` or `?`, so `1 < 2` doesn't change. Block
/// elements separate the words around them; scripts and style sheets are left out.
struct HTMLText {
  private let html: [UInt8]
  private var text: [UInt8] = []
  private var place = 0

  /// Texts that don't occur after the current place. Searching for them again from every place
  /// would take quadratic time.
  private var missing: Set<[UInt8]> = []
  private var hasTagEnd = true

  private init(_ html: String) { self.html = Array(html.utf8) }

  /// Returns the text of HTML, with white space unchanged.
  static func text(of html: String) -> String {
    guard html.utf8.contains(where: { $0 == .lessThan || $0 == .ampersand }) else { return html }
    var reader = HTMLText(html)
    reader.read()
    return String(decoding: reader.text, as: UTF8.self)
  }

  /// Returns a text as HTML, with its special characters escaped.
  static func escaped(_ text: String) -> String {
    var html: [UInt8] = []
    html.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case .ampersand: html += "&amp;".utf8
      case .lessThan: html += "&lt;".utf8
      case UInt8(ascii: ">"): html += "&gt;".utf8
      case UInt8(ascii: "\""): html += "&quot;".utf8
      default: html.append(byte)
      }
    }
    return String(decoding: html, as: UTF8.self)
  }

  private mutating func read() {
    text.reserveCapacity(html.count)
    while place < html.count {
      let isRead =
        switch html[place] {
        case .lessThan: skipTag()
        case .ampersand: readReference()
        default: false
        }
      if isRead { continue }
      text.append(html[place])
      place += 1
    }
  }
}

extension HTMLText {
  private static let blocks: Set = [
    "br", "p", "div", "li", "ul", "ol", "tr", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
    "blockquote", "dt", "dd", "pre", "figure", "figcaption", "table", "section", "article",
  ]

  /// Skips a tag, a comment, or an element whose content isn't text; returns whether there was one.
  private mutating func skipTag() -> Bool {
    let start = place + 1
    guard start < html.count, html[start].isASCIILetter || "/!?".utf8.contains(html[start]) else {
      return false
    }
    if html[start...].starts(with: "!--".utf8),
      let end = end(of: Array("-->".utf8), from: start + 1)
    {
      place = end
      return true
    }
    let name = name(at: html[start] == UInt8(ascii: "/") ? start + 1 : start)
    guard let end = tagEnd(from: start) else { return false }
    place = end
    if Self.blocks.contains(name) { text.append(UInt8(ascii: " ")) }
    if name == "script" || name == "style", html[start] != UInt8(ascii: "/") { skipContent(name) }
    return true
  }

  /// Returns the name of a tag in lower case. The relevant names have at most 10 characters.
  private func name(at start: Int) -> String {
    let name = html[start...].prefix(11).prefix { $0.isASCIILetter || $0.isASCIIDigit }
    return String(decoding: name, as: UTF8.self).lowercased()
  }

  /// Skips the content of an element up to the end of its closing tag, if it has one.
  private mutating func skipContent(_ name: String) {
    guard let closing = end(of: Array("</\(name)".utf8), from: place),
      let end = tagEnd(from: closing)
    else { return }
    place = end
  }

  /// Returns the offset after the `>` that ends a tag. A `>` in a quoted value doesn't end it.
  private mutating func tagEnd(from start: Int) -> Int? {
    var index = start
    var isValue = false
    while hasTagEnd, index < html.count {
      switch html[index] {
      case UInt8(ascii: ">"): return index + 1
      case UInt8(ascii: "="): isValue = true
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if isValue, let end = end(of: [html[index]], from: index + 1) { index = end - 1 }
        isValue = false
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): break
      default: isValue = false
      }
      index += 1
    }
    hasTagEnd = false
    return nil
  }

  /// Returns the offset after the next occurrence of a lower-case text, ignoring case.
  private mutating func end(of wanted: [UInt8], from start: Int) -> Int? {
    guard !missing.contains(wanted) else { return nil }
    var index = start
    while index + wanted.count <= html.count {
      if wanted.indices.allSatisfy({ html[index + $0].lowercased == wanted[$0] }) {
        return index + wanted.count
      }
      index += 1
    }
    missing.insert(wanted)
    return nil
  }
}

extension HTMLText {
  /// Replaces a character reference that ends in a semicolon, and returns whether there was one.
  /// Others are kept.
  private mutating func readReference() -> Bool {
    guard let reference = HTMLEntities.reference(in: html, at: place),
      let character = HTMLEntities.character(reference.name)
    else { return false }
    text += character.utf8
    place = reference.end
    return true
  }
}

extension UInt8 {
  fileprivate static let lessThan = UInt8(ascii: "<")
  fileprivate static let ampersand = UInt8(ascii: "&")

  /// The same letter in lower case.
  fileprivate var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

/// The named characters of HTML 4. XML doesn't define them, but many feeds use them.
enum HTMLEntities {
  /// The code points by name, including XML's own five.
  static let named: [String: UInt32] = {
    var named: [String: UInt32] = [:]
    for (first, names) in runs {
      for (offset, name) in names.split(separator: " ").enumerated() where name != "-" {
        named[String(name)] = first + UInt32(offset)
      }
    }
    return named
  }()

  /// Returns the name of the reference whose `&` is at an offset, of at most 11 characters, and the
  /// offset after its `;`; `nil` if none begins there.
  static func reference(in html: [UInt8], at place: Int) -> (name: String, end: Int)? {
    let name = html[(place + 1)...].prefix(12).prefix { $0 != UInt8(ascii: ";") }
    guard name.endIndex < html.count, html[name.endIndex] == UInt8(ascii: ";") else { return nil }
    return (String(decoding: name, as: UTF8.self), name.endIndex + 1)
  }

  /// Returns the character of a reference: a name, or a number such as `#233` or `#xE9`. `nil` if
  /// the name is unknown, or no character has the number.
  static func character(_ name: String) -> String? {
    let value = name.hasPrefix("#") ? codePoint(name) : named[name]
    return value.flatMap(Unicode.Scalar.init).map { String($0) }
  }

  /// Returns the code point of a reference such as `#233` or `#xE9`; `nil` if it isn't a number.
  static func codePoint(_ name: String) -> UInt32? {
    let isHex = name.dropFirst().lowercased().hasPrefix("x")
    let digits = name.dropFirst(isHex ? 2 : 1)
    guard digits.first != "+", digits.first != "-" else { return nil }
    return UInt32(digits, radix: isHex ? 16 : 10)
  }

  /// Runs of names by their first code point. A hyphen means that a code point has no name.
  private static let runs: [(UInt32, String)] = [
    (34, "quot - - - amp apos"), (60, "lt - gt"),
    (160, "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr"),
    (176, "deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo"),
    (188, "frac14 frac12 frac34 iquest"),
    (192, "Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml"),
    (204, "Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times"),
    (216, "Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig"),
    (224, "agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml"),
    (236, "igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide"),
    (248, "oslash ugrave uacute ucirc uuml yacute thorn yuml"),
    (338, "OElig oelig"), (352, "Scaron scaron"), (376, "Yuml"), (402, "fnof"), (710, "circ"),
    (732, "tilde"),
    (913, "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi"),
    (929, "Rho - Sigma Tau Upsilon Phi Chi Psi Omega"),
    (945, "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi"),
    (961, "rho sigmaf sigma tau upsilon phi chi psi omega"), (977, "thetasym upsih"), (982, "piv"),
    (8194, "ensp emsp"), (8201, "thinsp"), (8204, "zwnj zwj lrm rlm"), (8211, "ndash mdash"),
    (8216, "lsquo rsquo sbquo - ldquo rdquo bdquo - dagger Dagger bull"), (8230, "hellip"),
    (8240, "permil"), (8242, "prime Prime"), (8249, "lsaquo rsaquo"), (8254, "oline"),
    (8260, "frasl"), (8364, "euro"), (8465, "image"), (8472, "weierp"), (8476, "real"),
    (8482, "trade"), (8501, "alefsym"), (8592, "larr uarr rarr darr harr"), (8629, "crarr"),
    (8656, "lArr uArr rArr dArr hArr"), (8704, "forall - part exist - empty - nabla isin notin"),
    (8715, "ni"), (8719, "prod - sum minus"), (8727, "lowast"), (8730, "radic"),
    (8733, "prop infin"), (8736, "ang"), (8743, "and or cap cup int"), (8756, "there4"),
    (8764, "sim"), (8773, "cong"), (8776, "asymp"), (8800, "ne equiv"), (8804, "le ge"),
    (8834, "sub sup nsub - sube supe"), (8853, "oplus - otimes"), (8869, "perp"), (8901, "sdot"),
    (8968, "lceil rceil lfloor rfloor"), (9001, "lang rang"), (9674, "loz"),
    (9824, "spades - - clubs - hearts diams"),
  ]
}
