import ResourceXML
import TestSupport
import Testing

/// Well-formed documents and their content, by section of the recommendation.
@Suite(.inTurn)
struct AcceptedDocumentTests {
  @Test(arguments: [
    ("<a/>", "<a></a>"), ("<a></a >", "<a></a>"), ("<a\n/>", "<a></a>"), ("<a ></a\t>", "<a></a>"),
    ("\u{FEFF}<a/>", "<a></a>"), (" \n<a/>\r\n", "<a></a>"),
    ("<!-- c --><a/><!-- - - -->", "<a></a>"),
    ("<?xml version='1.0'?><a/>", "<a></a>"),
    ("<?xml version = \"1.7\"\nencoding='UTF-8' standalone\t=\t'no' ?><a/>", "<a></a>"),
    ("<?p?><a/><?q  d ? > ?>", "<?p ?><a></a><?q d ? > ?>"),
    ("<?xml-stylesheet href='s'?><a/>", "<?xml-stylesheet href='s'?><a></a>"),
    ("<a b='1' c = \"2\"/>", "<a b=\"1\" c=\"2\"></a>"),
    ("<a b='\"' c=\"'\"/>", "<a b=\"&quot;\" c=\"'\"></a>"), ("<a b='>'/>", "<a b=\"&gt;\"></a>"),
    ("<a b='x\ty\nz\r\nw\rv'/>", "<a b=\"x y z w v\"></a>"),
    ("<a b='&#9;&#10;&#13;&#32;'/>", "<a b=\"&#9;&#10;&#13; \"></a>"),
    ("<a>x\r\ny\rz\n</a>", "<a>x&#10;y&#10;z&#10;</a>"),
    ("<a>&#13;\r\r\n&#13;\n</a>", "<a>&#13;&#10;&#10;&#13;&#10;</a>"),
    ("<a><![CDATA[<b>&amp;]] ]>\r\n]]></a>", "<a>&lt;b&gt;&amp;amp;]] ]&gt;&#10;</a>"),
    ("<a><![CDATA[]]></a>", "<a></a>"),
    ("<a><![CDATA[]]]]><![CDATA[>]]></a>", "<a>]]&gt;</a>"),
    ("<a>] ]> ]] ></a>", "<a>] ]&gt; ]] &gt;</a>"), ("<a>]]&gt;</a>", "<a>]]&gt;</a>"),
    ("<a>&lt;&gt;&amp;&apos;&quot;</a>", "<a>&lt;&gt;&amp;'&quot;</a>"),
    ("<a>&#65;&#x42;&#x10FFFF;&#0000000000067;</a>", "<a>AB\u{10FFFF}C</a>"),
    ("<a>x<!-- c -->y<?p d?>z</a>", "<a>xy<?p d?>z</a>"),
    ("<a><b><c/></b>t</a>", "<a><b><c></c></b>t</a>"),
    ("<_.-9\u{B7}\u{300}\u{203F}/>", "<_.-9\u{B7}\u{300}\u{203F}></_.-9\u{B7}\u{300}\u{203F}>"),
    ("<\u{10000}\u{EFFFF}/>", "<\u{10000}\u{EFFFF}></\u{10000}\u{EFFFF}>"),
    ("<東京 県='は'/>", "<東京 県=\"は\"></東京>"),
    (
      "<a>\u{7F}\u{85}\u{9F}\u{2028}\u{FFFD}\u{E000}</a>",
      "<a>\u{7F}\u{85}\u{9F}\u{2028}\u{FFFD}\u{E000}</a>"
    ),
    ("<abcdefghijklmnop></abcdefghijklmnop>", "<abcdefghijklmnop></abcdefghijklmnop>"),
    ("<a><?p a?b?></a>", "<a><?p a?b?></a>"),
    ("<a><!----></a>", "<a></a>"), ("<a><!-- > < & ]]> --></a>", "<a></a>"),
  ])
  func `a well-formed document is accepted and has these events`(
    _ document: String, _ expected: String
  ) throws {
    #expect(try canonical(document) == expected)
  }

  @Test(arguments: [
    // 4.5, the examples of the construction of replacement text and of appendix D.
    ("<!ENTITY e 'x'>", "<a>&e;&e;</a>", "<a>xx</a>"),
    ("<!ENTITY e 'x'><!ENTITY e 'y'>", "<a>&e;</a>", "<a>x</a>"),
    ("<!ENTITY e '<b/>'>", "<a>&e;</a>", "<a><b></b></a>"),
    ("<!ENTITY e ''>", "<a>&e;</a>", "<a></a>"),
    ("<!ENTITY e '&#60;b/>'>", "<a>&e;</a>", "<a><b></b></a>"),
    ("<!ENTITY e '&#38;#60;b/>'>", "<a>&e;</a>", "<a>&lt;b/&gt;</a>"),
    (
      "<!ENTITY example \"<p>An ampersand (&#38;#38;) may be escaped numerically (&#38;#38;#38;) or with a general entity (&amp;amp;).</p>\" >",
      "<a>&example;</a>",
      "<a><p>An ampersand (&amp;) may be escaped numerically (&amp;#38;) or with a general entity (&amp;amp;).</p></a>"
    ),
    (
      "<!ENTITY % xx '&#37;zz;'><!ENTITY % zz '&#60;!ENTITY tricky \"error-prone\" >' >%xx;",
      "<a>This sample shows a &tricky; method.</a>",
      "<a>This sample shows a error-prone method.</a>"
    ),
    ("<!ENTITY e 'x&f;z'><!ENTITY f 'y'>", "<a b='&e;'>&e;</a>", "<a b=\"xyz\">xyz</a>"),
    (
      "<!ENTITY e \"a\tb\r\nc&#13;&#10;d\">", "<a b='&e;'>&e;</a>",
      "<a b=\"a b c  d\">a&#9;b&#10;c&#13;&#10;d</a>"
    ), ("<!ENTITY e '&#38;lt;'>", "<a b='&e;'/>", "<a b=\"&lt;\"></a>"),
    ("<!ENTITY e '\"'>", "<a b=\"&e;\"/>", "<a b=\"&quot;\"></a>"),
    ("<!ENTITY e '<![CDATA[&x;]]><!-- c --><?p d?>'>", "<a>&e;</a>", "<a>&amp;x;<?p d?></a>"),
    ("<!ENTITY e ']]'>", "<a>&e;&gt;</a>", "<a>]]&gt;</a>"),
    ("<!ENTITY lt '&#38;#60;'>", "<a>&lt;</a>", "<a>&lt;</a>"),
    ("<!ENTITY e SYSTEM 's'>", "<a>x&e;y</a>", "<a>x[e]y</a>"),
    (
      "<!ENTITY % p SYSTEM 's'>%p;<!ENTITY e 'x'>", "<a b='1&e;2'>&e;&f;</a>",
      "<a b=\"12\">[e][f]</a>"
    ),
    // E13 of the third edition: an internal parameter entity is enough.
    ("<!ENTITY % p ''>%p;<!ENTITY e 'x'>", "<a>&e;&f;</a>", "<a>x[f]</a>"),
    ("<!ENTITY % p '<!ENTITY e \"x\">'>%p;", "<a>&e;</a>", "<a>x</a>"),
    // 3.3, defaults, and 3.3.3, normalisation by type.
    (
      "<!ATTLIST a b CDATA 'x' c CDATA #FIXED 'y' d CDATA #IMPLIED e CDATA #REQUIRED>",
      "<a b='z'/>", "<a b=\"z\" c=\"y\"></a>"
    ),
    (
      "<!ATTLIST a b CDATA 'x'><!ATTLIST a b CDATA 'y' c CDATA 'z'>", "<a/>",
      "<a b=\"x\" c=\"z\"></a>"
    ),
    (
      "<!ATTLIST a b NMTOKENS #IMPLIED c CDATA #IMPLIED>", "<a b='  x \n y  ' c='  x \n y  '/>",
      "<a b=\"x y\" c=\"  x   y  \"></a>"
    ),
    ("<!ATTLIST a b (x|y) '  y '>", "<a><b/></a>", "<a b=\"y\"><b></b></a>"),
    ("<!ATTLIST a b ID #IMPLIED>", "<a b=' x&#32;&#9; y'/>", "<a b=\"x &#9; y\"></a>"),
    (
      "<!ENTITY e ' x  y '><!ATTLIST a b NMTOKENS '&e;' c CDATA '&e;'>", "<a/>",
      "<a b=\"x y\" c=\" x  y \"></a>"
    ),
    (
      "<!ENTITY d '&#xD;'><!ENTITY a '&#xA;'><!ENTITY da '&#xD;&#xA;'><!ATTLIST a n NMTOKENS #IMPLIED>",
      "<a c='&d;&d;A&a;&#x20;&a;B&da;' n='&d;&d;A&a;&#x20;&a;B&da;'/>",
      "<a c=\"  A   B  \" n=\"A B\"></a>"
    ),
    (
      "<!ATTLIST a b NMTOKENS #IMPLIED>", "<a b='&#xd;&#xd;A&#xa;&#xa;B&#xd;&#xa;'/>",
      "<a b=\"&#13;&#13;A&#10;&#10;B&#13;&#10;\"></a>"
    ),
    ("<?p d?><!ELEMENT a ANY>", "<a/>", "<?p d?><a></a>"),
    ("<!ATTLIST x b CDATA 'x'>", "<a/>", "<a></a>"),
  ])
  func `a document with a document type is accepted and has this meaning`(
    _ subset: String, _ root: String, _ expected: String
  ) throws {
    #expect(try canonical("<!DOCTYPE a [\(subset)]>\(root)") == expected)
  }
}
