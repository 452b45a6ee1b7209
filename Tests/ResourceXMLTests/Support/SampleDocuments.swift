/// Realistic documents for tests that truncate and change them.
enum SampleDocuments {
  static let feed = """
    <?xml version="1.0" encoding="UTF-8"?>\r
    <!-- a feed --><?xml-stylesheet type="text/xsl" href="s.xsl"?>
    <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
     <channel>
      <title>Käse &amp; Brot 東京 \u{1F600}</title>
      <atom:link href="https://example.org/a?b=1&amp;c=2" rel='self'/>
      <item><guid isPermaLink="false">1</guid><description><![CDATA[<p>a]] ]> &amp;</p>]]></description></item>
      <item>\r\n<title>x\r&#13;&#x20AC;]] ]</title></item>
     </channel>
    </rss>
    <!-- end -->
    """

  static let declared = """
    <?xml version='1.1' encoding='utf-8' standalone='no' ?>
    <!DOCTYPE doc PUBLIC "-//X//Y" 's.dtd' [
      <!-- > ' " ]> --><?pi ' " ]> ?>
      <!ELEMENT doc (#PCDATA|a|b)*><!ELEMENT a (b?,(c|d)*)+ >
      <!ATTLIST a x CDATA "de'f" y (on|off) ' on ' z NMTOKENS #IMPLIED>
      <!NOTATION n SYSTEM "]>"><!ENTITY pic SYSTEM 'p.gif' NDATA n>
      <!ENTITY e "text &f; &#60;b>bold&#60;/b>"><!ENTITY f '&#38;#38; <![CDATA[]]>'>
      <!ENTITY % p "<!ENTITY g 'in p'>"> %p;
      <!ENTITY ext SYSTEM "x.xml">
    ]>
    <doc>&e;<a z=' 1  2\t3 ' w='&f2;'>&ext;</a>&g; ü]]<b
     xmlns='urn:x' q='1'/></doc  >
    """.replacingReference

  static let all = [feed, declared]
}

extension String {
  /// Without the ampersand of `f` in an attribute, where CDATA isn't allowed.
  fileprivate var replacingReference: String {
    split(separator: "&f2;", omittingEmptySubsequences: false).joined(separator: "&g;")
  }
}
