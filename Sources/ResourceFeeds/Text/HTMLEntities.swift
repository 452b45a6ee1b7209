/// The characters that HTML 4 has names for, which XML doesn't know: many feeds use them all the same.
enum HTMLEntities {
  /// The code point of each name, those of XML's own five included.
  static let named: [String: UInt32] = {
    var named: [String: UInt32] = [:]
    for (first, names) in runs {
      for (offset, name) in names.split(separator: " ").enumerated() where name != "-" {
        named[String(name)] = first + UInt32(offset)
      }
    }
    return named
  }()

  /// Returns the character that a reference means.
  ///
  /// - Parameter name: What stands between `&` and `;`: a name, or a number such as `#233` or `#xE9`.
  /// - Returns: `nil` if there is no such name, and for a number that no character has.
  static func character(_ name: String) -> String? {
    let value = name.hasPrefix("#") ? codePoint(name) : named[name]
    return value.flatMap(Unicode.Scalar.init).map { String($0) }
  }

  /// Returns the code point of a reference such as `#233` or `#xE9`, `nil` if it isn't a number.
  static func codePoint(_ name: String) -> UInt32? {
    let isHex = name.dropFirst().lowercased().hasPrefix("x")
    let digits = name.dropFirst(isHex ? 2 : 1)
    guard digits.first != "+", digits.first != "-" else { return nil }
    return UInt32(digits, radix: isHex ? 16 : 10)
  }

  /// Names in the order of their code points, from a first one on; a hyphen where one has no name.
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
