package enum TextEncoding: Hashable, Sendable {
  case utf8
  case utf16(isBigEndian: Bool)
  case ascii
  case latin1
  case windows1252
  /// An encoding that the platform converts, by its Core Foundation number.
  case platform(UInt32)
  /// EUC-JP, which is recoded as Shift_JIS for the platform.
  case eucJP

  /// Creates the encoding for a label of the WHATWG's Encoding standard, including aliases. Case
  /// and surrounding space are ignored. ISO-8859-1 and US-ASCII, however, stand for themselves.
  package init?(label: String) {
    let key = label.lowercased().filter { !$0.isWhitespace }
    guard let encoding = TextEncoding.labels[key] else { return nil }
    self = encoding
  }

  /// Returns whether a label is that of UTF-16 without a byte order.
  package static func isUnmarkedUTF16(_ label: String) -> Bool {
    unmarkedUTF16.contains(Substring(label.lowercased()))
  }

  private static let unmarkedUTF16 = "utf-16 utf16 iso-10646-ucs-2 ucs-2 csunicode unicode"
    .split(separator: " ")

  private static let labels: [String: TextEncoding] = {
    var labels: [String: TextEncoding] = [:]
    for label in unmarkedUTF16 { labels[String(label)] = .utf16(isBigEndian: true) }
    for part in 2...16 where part != 12 {
      for prefix in ["iso-8859-", "iso8859-", "iso_8859-", "iso8859"] {
        labels["\(prefix)\(part)"] = .platform(0x200 + UInt32(part))
      }
    }
    for page in 0...8 where page != 2 {
      let number: UInt32 = page == 0 ? 0x501 : page == 1 ? 0x502 : 0x500 + UInt32(page)
      for prefix in ["windows-125", "cp125", "x-cp125"] {
        labels["\(prefix)\(page)"] = .platform(number)
      }
    }
    for (page, number) in pages {
      for prefix in ["ibm", "cp", ""] { labels["\(prefix)\(page)"] = .platform(number) }
    }
    for (names, encoding) in known {
      for name in names.split(separator: " ") { labels[String(name)] = encoding }
    }
    return labels
  }()

  /// The code pages of DOS by their numbers at IBM.
  private static let pages: [(Int, UInt32)] = [
    (437, 0x400), (737, 0x405), (775, 0x406), (850, 0x410), (852, 0x412), (855, 0x413),
    (857, 0x414), (860, 0x415), (861, 0x416), (862, 0x417), (863, 0x418), (864, 0x419),
    (865, 0x41A), (866, 0x41B),
  ]

  private static let known: [(String, TextEncoding)] = [
    ("utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8", .utf8),
    ("utf-16be unicodefffe", .utf16(isBigEndian: true)),
    ("utf-16le unicodefeff", .utf16(isBigEndian: false)),
    ("us-ascii ascii ansi_x3.4-1968 iso646-us csascii iso-ir-6", .ascii),
    (
      "iso-8859-1 iso8859-1 iso_8859-1 iso88591 iso_8859-1:1987 latin1 l1 cp819 ibm819 csisolatin1"
        + " iso-ir-100",
      .latin1
    ),
    ("windows-1252 cp1252 x-cp1252", .windows1252),
    ("latin2 l2 csisolatin2 iso-ir-101 iso_8859-2:1987", .platform(0x202)),
    ("latin3 l3 csisolatin3 iso-ir-109 iso_8859-3:1988", .platform(0x203)),
    ("latin4 l4 csisolatin4 iso-ir-110 iso_8859-4:1988", .platform(0x204)),
    ("cyrillic csisolatincyrillic iso-ir-144 iso_8859-5:1988", .platform(0x205)),
    (
      "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i"
        + " iso-ir-127 iso_8859-6:1987",
      .platform(0x206)
    ),
    (
      "greek greek8 csisolatingreek ecma-118 elot_928 sun_eu_greek iso-ir-126 iso_8859-7:1987",
      .platform(0x207)
    ),
    (
      "hebrew visual logical csiso88598e csiso88598i csisolatinhebrew iso-8859-8-e iso-8859-8-i"
        + " iso-ir-138 iso_8859-8:1988",
      .platform(0x208)
    ),
    // What is labelled as ISO-8859-9 is often windows-1254, which has more characters.
    (
      "iso-8859-9 iso8859-9 iso_8859-9 iso88599 latin5 l5 csisolatin5 iso-ir-148 iso_8859-9:1989",
      .platform(0x504)
    ),
    ("latin6 l6 csisolatin6 iso-ir-157", .platform(0x20A)),
    ("latin-9 latin9 l9 csisolatin9", .platform(0x20F)),
    ("koi8-r koi8_r koi8 koi cskoi8r", .platform(0xA02)),
    ("koi8-u koi8-ru", .platform(0xA08)),
    ("csibm866", .platform(0x41B)),
    ("macintosh x-mac-roman mac csmacintosh", .platform(0)),
    ("x-mac-cyrillic x-mac-ukrainian", .platform(7)),
    ("tis-620 windows-874 iso-8859-11 iso8859-11 iso885911 dos-874", .platform(0x41D)),
    (
      "gb18030 gbk gb2312 gb_2312 gb_2312-80 cp936 x-gbk chinese csgb2312 csiso58gb231280 iso-ir-58",
      .platform(0x632)
    ),
    ("big5 big5-hkscs cn-big5 x-x-big5 csbig5", .platform(0xA06)),
    (
      "euc-kr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 cp949 korean cseuckr"
        + " csksc56011987 iso-ir-149",
      .platform(0x422)
    ),
    ("shift_jis shift-jis sjis x-sjis ms_kanji windows-31j ms932 csshiftjis", .platform(0x420)),
    ("iso-2022-jp csiso2022jp", .platform(0x820)),
    ("euc-jp x-euc-jp cseucpkdfmtjapanese", .eucJP),
  ]
}

extension TextEncoding {
  /// 0x80 to 0x9F; the five unassigned ones stay C1 controls, as in the Encoding standard.
  package static let windows1252Scalars: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039,
    0x152, 0x8D, 0x17D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D, 0x17E, 0x178,
  ]
}
