import ResourceXML
import TestSupport
import Testing

/// Documents that aren't well-formed, by section of the recommendation.
@Suite(.inTurn)
struct RefusedDocumentTests {
  @Test(arguments: [
    ("2.1 [1]: no root", ""), ("2.1 [1]: white space only", " \n"),
    ("2.1 [1]: two roots", "<a/><b/>"), ("2.1 [1]: text behind", "<a/>x"),
    ("2.1 [1]: reference behind", "<a/>&#32;"), ("2.1 [1]: CDATA behind", "<a/><![CDATA[]]>"),
    ("2.1 [1]: text before", "x<a/>"),
    ("2.1 [1]: space before the declaration", " <?xml version='1.0'?><a/>"),
    ("2.1 [1]: end tag alone", "</a>"), ("2.1 [1]: open root", "<a>"),
    ("2.1 [1]: open child", "<a><b></a>"),
    ("2.1: overlapping elements", "<a><b></a></b>"), ("2.1: one end tag too many", "<a></a></a>"),
    ("2.2 [2]: NUL", "<a>\u{0}</a>"), ("2.2 [2]: form feed", "<a>\u{c}</a>"),
    ("2.2 [2]: escape in an attribute", "<a b='\u{1b}'/>"), ("2.2 [2]: U+FFFE", "<a>\u{FFFE}</a>"),
    ("2.2 [2]: U+FFFF in a comment", "<a><!--\u{FFFF}--></a>"),
    ("2.2 [2]: in a PI", "<a><?p \u{1}?></a>"),
    ("2.3 [4]: digit first", "<1a/>"), ("2.3 [4]: hyphen first", "<-a/>"),
    ("2.3 [4]: dot first", "<.a/>"),
    ("2.3 [4]: combining first", "<\u{300}a/>"), ("2.3 [4]: middle dot first", "<\u{B7}a/>"),
    ("2.3 [4]: multiplication sign", "<a\u{D7}/>"), ("2.3 [4]: Greek question mark", "<a\u{37E}/>"),
    ("2.3 [4]: space first", "< a/>"), ("2.3 [10]: no quotes", "<a b=c/>"),
    ("2.3 [10]: quotes that differ", "<a b='c\"/>"), ("2.3 [10]: less-than", "<a b='<'/>"),
    ("2.3 [10]: ampersand", "<a b='&'/>"), ("2.3 [10]: ampersand and space", "<a b='& '/>"),
    ("2.4 [14]: section end", "<a>]]></a>"), ("2.4 [14]: section end, longer", "<a>]]]]></a>"),
    ("2.4: bare ampersand", "<a>a & b</a>"), ("2.4: bare less-than", "<a>a < b</a>"),
    ("2.5 [15]: two hyphens", "<a><!-- a -- b --></a>"),
    ("2.5 [15]: three at the end", "<a><!-- a ---></a>"),
    ("2.5 [15]: open", "<a><!-- a -></a>"), ("2.5 [15]: too short", "<a><!--></a>"),
    ("2.5 [15]: too short", "<a><!---></a>"), ("2.5: in a tag", "<a <!-- c --> />"),
    ("2.5 [15]: space", "<a><! -- c --></a>"),
    ("2.6 [16]: open", "<a><?p </a>"), ("2.6 [16]: no target", "<a><? p?></a>"),
    ("2.6 [16]: empty", "<a><??></a>"),
    ("2.6 [16]: data without space", "<a><?p+q?></a>"),
    ("2.6 [17]: xml", "<a><?xml version='1.0'?></a>"),
    ("2.6 [17]: XML", "<?XML version='1.0'?><a/>"), ("2.6 [17]: xMl", "<a/><?xMl?>"),
    ("2.6 [17]: no version", "<?xml?><a/>"),
    ("2.7 [18]: open", "<a><![CDATA[x]]</a>"), ("2.7 [19]: lower case", "<a><![cdata[x]]></a>"),
    ("2.7 [19]: space", "<a><![ CDATA[x]]></a>"), ("2.7 [19]: space", "<a><![CDATA [x]]></a>"),
    ("2.7 [18]: nested", "<a><![CDATA[<![CDATA[x]]>]]></a>"),
    ("2.8 [23]: no version", "<?xml encoding='UTF-8'?><a/>"),
    ("2.8 [23]: order", "<?xml encoding='UTF-8' version='1.0'?><a/>"),
    ("2.8 [23]: order", "<?xml version='1.0' standalone='yes' encoding='UTF-8'?><a/>"),
    ("2.8 [23]: one mark", "<?xml version='1.0'><a/>"),
    ("2.8 [23]: upper case", "<?xml VERSION='1.0'?><a/>"),
    ("2.8 [24]: no space", "<?xml version='1.0'encoding='UTF-8'?><a/>"),
    ("2.8 [24]: no quotes", "<?xml version=1.0?><a/>"),
    ("2.8 [24]: quotes that differ", "<?xml version='1.0\"?><a/>"),
    ("2.8 [26]: two", "<?xml version='2.0'?><a/>"),
    ("2.8 [26]: no digit", "<?xml version='1.'?><a/>"),
    ("2.8 [26]: letter", "<?xml version='1.0a'?><a/>"),
    ("2.8 [26]: spaces", "<?xml version=' 1.0 '?><a/>"),
    ("2.8 [26]: empty", "<?xml version=''?><a/>"),
    ("2.8 [23]: twice", "<?xml version='1.0'?><?xml version='1.0'?><a/>"),
    ("2.8 [23]: something more", "<?xml version='1.0' valid='no'?><a/>"),
    ("2.8 [28]: no name", "<!DOCTYPE><a/>"), ("2.8 [28]: no space", "<!DOCTYPEa><a/>"),
    ("2.8 [28]: two", "<!DOCTYPE a><!DOCTYPE a><a/>"),
    ("2.8 [28]: after the root", "<a/><!DOCTYPE a>"),
    ("2.8 [28]: in the root", "<a><!DOCTYPE a></a>"),
    ("2.8 [28]: lower case", "<!doctype a><a/>"), ("2.8 [28]: open", "<!DOCTYPE a [<a/>"),
    ("2.8 [28]: text in the subset", "<!DOCTYPE a [x]><a/>"),
    ("2.8 [28]: element in the subset", "<!DOCTYPE a [<a/>]><a/>"),
    ("2.8 [28]: reference in the subset", "<!DOCTYPE a [&#32;]><a/>"),
    ("2.8 [28]: CDATA in the subset", "<!DOCTYPE a [<![CDATA[]]>]><a/>"),
    ("2.8 [28]: space and ]", "<!DOCTYPE a [] x><a/>"),
    ("2.9 [32]: value", "<?xml version='1.0' standalone='YES'?><a/>"),
    ("2.9 [32]: empty", "<?xml version='1.0' standalone=''?><a/>"),
    ("2.9 [32]: space", "<?xml version='1.0'standalone='yes'?><a/>"),
    ("3 [39]: names that differ", "<a></A>"), ("3 [39]: longer end", "<a></ab>"),
    ("3 [39]: shorter end", "<abc></ab>"),
    ("3 [39]: long names that differ", "<abcdefghijk></abcdefghijl>"),
    ("3.1 [40]: no space between attributes", "<a b='1'c='2'/>"), ("3.1 [41]: no equals", "<a b/>"),
    ("3.1 [41]: no value", "<a b=/>"),
    ("3.1 [41]: twice", "<a b='1' b='2'/>"), ("3.1 [42]: attribute", "<a></a b='1'>"),
    ("3.1 [42]: space", "<a></ a>"),
    ("3.1 [42]: slash", "<a></a/>"), ("3.1 [44]: space", "<a / >"),
    ("3.1 [44]: two slashes", "<a//>"), ("3.1 [40]: open", "<a"),
    ("3.1 [40]: tag in a tag", "<a <b/>"),
    ("3.1 [43]: declaration in content", "<a><!ELEMENT a ANY></a>"),
    ("4.1 [66]: no digits", "<a>&#;</a>"), ("4.1 [66]: no digits", "<a>&#x;</a>"),
    ("4.1 [66]: upper case", "<a>&#X41;</a>"),
    ("4.1 [66]: hexadecimal", "<a>&#4A;</a>"), ("4.1 [66]: open", "<a>&#65</a>"),
    ("4.1 [66]: NUL", "<a>&#0;</a>"),
    ("4.1 [66]: surrogate", "<a>&#xD800;</a>"), ("4.1 [66]: U+FFFE", "<a>&#xFFFE;</a>"),
    ("4.1 [66]: too large", "<a>&#x110000;</a>"),
    ("4.1 [66]: much too large", "<a>&#99999999999999999999;</a>"),
    ("4.1 [66]: in an attribute", "<a b='&#2;'/>"),
    ("4.1 [68]: space", "<a>& amp;</a>"), ("4.1 [68]: space", "<a>&amp ;</a>"),
    ("4.1 [68]: open", "<a>&amp</a>"),
    ("4.1: upper case", "<a>&AMP;</a>"), ("4.1: not declared", "<a>&b;</a>"),
    ("4.1: not declared, in an attribute", "<a b='&c;'/>"),
    ("4.3.3 [81]: digit first", "<?xml version='1.0' encoding='8'?><a/>"),
    ("4.3.3 [81]: empty", "<?xml version='1.0' encoding=''?><a/>"),
    ("4.3.3 [81]: space", "<?xml version='1.0' encoding=' UTF-8'?><a/>"),
  ])
  func `a document that isn't well-formed is refused`(_ claim: String, _ document: String) {
    #expect(refusal(document) != nil, "\(claim): \(document)")
    #expect(refusal(document, options: plainOptions) != nil, "\(claim): \(document)")
  }

  @Test(
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80],
      [0xE2, 0x82],
      [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xF8, 0x88, 0x80, 0x80, 0x80],
    ] as [[UInt8]])
  func `bytes that aren't UTF-8 are refused anywhere`(_ bytes: [UInt8]) {
    let places = [
      ("<a>", "</a>"), ("<a", "/>"), ("<a b='", "'/>"), ("<a><!--", "--></a>"),
      ("<a><?p ", "?></a>"),
      ("<a><![CDATA[", "]]></a>"), ("<!DOCTYPE a [<!ENTITY e '", "'>]><a/>"), ("<a/>", ""),
      ("", "<a/>"),
    ]

    for (before, after) in places {
      #expect(refusal(Array(before.utf8) + bytes + Array(after.utf8)) == .invalidBytes)
    }
  }
}
