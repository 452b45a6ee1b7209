extension DemoDocuments {
  /// RSS 2.0 that is sent in ISO-8859-1.
  static let railway = """
    <?xml version="1.0" encoding="ISO-8859-1"?>
    <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/">
      <channel>
        <title>Nebenbahn-Brief</title>
        <link>https://nebenbahn.example/</link>
        <description>Kleine Züge, große Umwege</description>
        <item>
          <title>Die Brücke über die Ölde ist wieder befahrbar</title>
          <guid isPermaLink="true">https://nebenbahn.example/brief/57</guid>
          <link>https://nebenbahn.example/brief/57</link>
          <pubDate>Wed, 18 Nov 2026 20:11:00 +0100</pubDate>
          <dc:creator>Käthe Brümmer</dc:creator>
          <description><![CDATA[<p>Mit Tempo 20, aber <em>immerhin</em>.</p>]]></description>
        </item>
        <item>
          <title>Fahrplan f&amp;uuml;r den Winter</title>
          <link>https://nebenbahn.example/brief/55</link>
          <pubDate>Sat, 31 Oct 2026 12:00:00 GMT</pubDate>
          <description>Stündlich, außer wenn nicht.</description>
        </item>
      </channel>
    </rss>
    """

  /// Atom 1.0 with relative links and titles in HTML.
  static let recordings = """
    <?xml version="1.0" encoding="utf-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://recordings.example/">
      <title type="html">Field &lt;em&gt;Recordings&lt;/em&gt;</title>
      <id>tag:recordings.example,2019:feed</id>
      <updated>2026-11-15T21:00:00+02:00</updated>
      <entry>
        <title>Ice on the lake, the first night</title>
        <link href="2026/ice"/>
        <id>tag:recordings.example,2026:ice</id>
        <published>2026-11-15T21:00:00+02:00</published>
        <updated>2026-11-16T08:00:00+02:00</updated>
        <summary>It sings before it holds.</summary>
      </entry>
      <entry>
        <title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">From <i>below</i></div></title>
        <link href="2026/ferry"/>
        <id>tag:recordings.example,2026:ferry</id>
        <updated>2026-11-01T10:30:00+02:00</updated>
        <content type="html">&lt;p&gt;With a hydrophone.&lt;/p&gt;</content>
      </entry>
    </feed>
    """
}
