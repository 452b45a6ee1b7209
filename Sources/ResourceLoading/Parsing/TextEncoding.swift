/// An encoding that texts can be in.
package enum TextEncoding: Hashable, Sendable {
  case utf8
  case utf16(isBigEndian: Bool)
  case ascii
  case latin1
  case windows1252
  /// One that the platform converts, by its Core Foundation number.
  case platform(UInt32)
  /// EUC-JP, which is re-coded as Shift_JIS for the platform.
  case eucJP

  /// The encoding that a label names, as the WHATWG's Encoding standard matches labels: case and
  /// surrounding space don't matter, aliases do. ISO-8859-1 and US-ASCII stay what they are, though.
  package init?(label: String) {
    let key = label.lowercased().filter { !$0.isWhitespace }
    guard let encoding = TextEncoding.labels[key] else { return nil }
    self = encoding
  }

  /// The same for a label of UTF-16 that names no byte order.
  package static func isUnmarkedUTF16(_ label: String) -> Bool {
    ["utf-16", "utf16", "iso-10646-ucs-2", "ucs-2", "unicode", "csunicode"]
      .contains(label.lowercased())
  }

  private static let labels: [String: TextEncoding] = {
    var labels: [String: TextEncoding] = [:]
    for (names, encoding) in known {
      for name in names.split(separator: " ") { labels[String(name)] = encoding }
    }
    for part in 2...16 where part != 12 {
      for prefix in ["iso-8859-", "iso8859-", "iso_8859-"] {
        labels["\(prefix)\(part)"] = .platform(0x200 + UInt32(part))
      }
    }
    for page in 0...8 where page != 2 {
      let number: UInt32 = page == 0 ? 0x501 : page == 1 ? 0x502 : 0x500 + UInt32(page)
      labels["windows-125\(page)"] = .platform(number)
      labels["cp125\(page)"] = .platform(number)
    }
    return labels
  }()

  private static let known: [(String, TextEncoding)] = [
    ("utf-8 utf8 unicode-1-1-utf-8", .utf8),
    ("utf-16 utf16 utf-16be iso-10646-ucs-2 ucs-2 csunicode unicode", .utf16(isBigEndian: true)),
    ("utf-16le", .utf16(isBigEndian: false)),
    ("us-ascii ascii ansi_x3.4-1968 iso646-us csascii iso-ir-6", .ascii),
    (
      "iso-8859-1 iso8859-1 iso_8859-1 iso88591 latin1 l1 cp819 ibm819 csisolatin1 iso-ir-100",
      .latin1
    ),
    ("windows-1252 cp1252 x-cp1252", .windows1252),
    ("latin2 l2 csisolatin2", .platform(0x202)),
    ("latin5 l5", .platform(0x209)),
    ("latin-9 latin9 l9", .platform(0x20F)),
    ("cyrillic csisolatincyrillic", .platform(0x205)),
    ("greek csisolatingreek", .platform(0x207)),
    ("koi8-r koi8 koi cskoi8r", .platform(0xA02)),
    ("koi8-u koi8-ru", .platform(0xA08)),
    ("ibm866 cp866 866", .platform(0x419)),
    ("macintosh x-mac-roman mac", .platform(0)),
    ("tis-620 windows-874 iso-8859-11 dos-874", .platform(0x41D)),
    ("gb18030 gbk gb2312 gb_2312-80 cp936 x-gbk chinese csgb2312", .platform(0x632)),
    ("big5 big5-hkscs cn-big5 x-x-big5 csbig5", .platform(0xA03)),
    ("euc-kr ks_c_5601-1987 windows-949 cp949 korean cseuckr", .platform(0x422)),
    ("shift_jis shift-jis sjis x-sjis ms_kanji windows-31j ms932 csshiftjis", .platform(0x420)),
    ("iso-2022-jp csiso2022jp", .platform(0x820)),
    ("euc-jp x-euc-jp cseucpkdfmtjapanese", .eucJP),
  ]
}

extension TextEncoding {
  /// 0x80 to 0x9F; the five that are free stay C1 controls, as in the Encoding standard.
  package static let windows1252Scalars: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039,
    0x152, 0x8D, 0x17D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D, 0x17E, 0x178,
  ]
}
