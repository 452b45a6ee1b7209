extension DemoDocuments {
  /// Nebenbahn-Brief, a document of RSS 2.0 that is sent in ISO-8859-1.
  static let railway = """
    <?xml version="1.0" encoding="ISO-8859-1"?>
    <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
         xmlns:content="http://purl.org/rss/1.0/modules/content/">
      <channel>
        <title>Nebenbahn-Brief</title>
        <link>https://nebenbahn.example/</link>
        <description>Kleine Züge, große Umwege</description>
        <lastBuildDate>Wed, 18 Nov 2026 20:11:00 +0100</lastBuildDate>
        <item>
          <title>Die Brücke über die Ölde ist wieder befahrbar</title>
          <link>https://nebenbahn.example/brief/57</link>
          <guid isPermaLink="true">https://nebenbahn.example/brief/57</guid>
          <pubDate>Wed, 18 Nov 2026 20:11:00 +0100</pubDate>
          <dc:creator>Käthe Brümmer</dc:creator>
          <category>Strecken</category>
          <description>Mit Tempo 20, aber immerhin.</description>
          <content:encoded><![CDATA[<p>Mit Tempo 20, aber <em>immerhin</em>.</p>]]></content:encoded>
        </item>
        <item>
          <title>Fundsachen im Triebwagen 3: ein F&#252;hrerstand aus Pappe</title>
          <link>https://nebenbahn.example/brief/56</link>
          <pubDate>9 Nov 26 07:30 CET</pubDate>
          <dc:creator>Käthe Brümmer</dc:creator>
          <description>Wer vermißt ihn?</description>
          <enclosure url="https://nebenbahn.example/pappe.jpg" length="88120" type="image/jpeg"/>
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
}
