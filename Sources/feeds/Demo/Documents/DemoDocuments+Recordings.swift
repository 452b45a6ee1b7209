extension DemoDocuments {
  /// Field Recordings, a document of Atom 1.0.
  static let recordings = """
    <?xml version="1.0" encoding="utf-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://recordings.example/">
      <title type="html">Field &lt;em&gt;Recordings&lt;/em&gt;</title>
      <link href="/"/>
      <link rel="self" href="/recordings.atom"/>
      <id>tag:recordings.example,2019:feed</id>
      <updated>2026-11-15T21:00:00+02:00</updated>
      <author><name>Eero Valkama</name></author>
      <entry>
        <title>Ice on the lake, the first night</title>
        <link href="2026/ice"/>
        <link rel="enclosure" type="audio/mpeg" length="31337000" href="audio/ice.mp3"/>
        <id>tag:recordings.example,2026:ice</id>
        <published>2026-11-15T21:00:00+02:00</published>
        <updated>2026-11-16T08:00:00+02:00</updated>
        <category term="ice"/><category term="lake" label="Lake Saimaa"/>
        <summary>It sings before it holds.</summary>
      </entry>
      <entry>
        <title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">A ferry, from <i>below</i></div></title>
        <link href="2026/ferry"/>
        <id>tag:recordings.example,2026:ferry</id>
        <published>2026-11-01T10:30:00+02:00</published>
        <updated>2026-11-01T10:30:00+02:00</updated>
        <content type="html">&lt;p&gt;With a hydrophone.&lt;/p&gt;</content>
      </entry>
    </feed>
    """
}
