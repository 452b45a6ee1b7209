import Foundation

/// Documents that look like what servers send, of any size.
enum Documents {
  static let feed = feed(kilobytes: 1_000)
  static let largeFeed = feed(kilobytes: 20_000)
  static let dense = dense(kilobytes: 1_000)

  /// An RSS feed with escaped and CDATA content, of about that many times 1,000 bytes.
  private static func feed(kilobytes: Int) -> Data {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" \
      xmlns:content="http://purl.org/rss/1.0/modules/content/">
      <channel>
        <title>Feed</title>
        <link>https://example.org/</link>
        <description>Things</description>

      """
    text.reserveCapacity(kilobytes * 1_000 + 2_000)
    var number = 0
    while text.utf8.count < kilobytes * 1_000 {
      text += item(number)
      number += 1
    }
    return Data((text + "</channel>\n</rss>\n").utf8)
  }

  private static func item(_ number: Int) -> String {
    """
      <item>
        <title>Item number \(number) &amp; its story</title>
        <link>https://example.org/posts/\(number)/the-title-of-the-post</link>
        <guid isPermaLink="false">tag:example.org,2024:\(number)</guid>
        <pubDate>Tue, 05 Mar 2024 10:\(10 + number % 50):00 +0000</pubDate>
        <dc:creator>Jane Doe</dc:creator>
        <category>swift</category>
        <category>xml</category>
        <description>&lt;p&gt;A paragraph about number \(number), long enough to look like what people \
    write in feeds: it goes on for a while, and then some.&lt;/p&gt;</description>
        <content:encoded><![CDATA[<p>The whole of post \(number). It has <b>bold</b> and <i>italic</i> \
    words and an <a href="https://example.org/\(number)">anchor</a>. Käse, naïve, 東京.</p><p>The \
    second paragraph repeats what the first one has said, only in other words, as second paragraphs \
    do.</p>]]></content:encoded>
      </item>

    """
  }

  /// Rows of short elements and attributes, hardly any text.
  private static func dense(kilobytes: Int) -> Data {
    var text = "<table>"
    text.reserveCapacity(kilobytes * 1_000 + 2_000)
    var number = 0
    while text.utf8.count < kilobytes * 1_000 {
      text += #"<row id="\#(number)" on="true"><a>\#(number)</a><b x="1"/><c>ab</c></row>"#
      number += 1
    }
    return Data((text + "</table>").utf8)
  }
}
