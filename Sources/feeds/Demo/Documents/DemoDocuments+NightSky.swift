extension DemoDocuments {
  /// Night Sky Weekly, a document of JSON Feed 1.1.
  static let nightSky = #"""
    {
      "version": "https://jsonfeed.org/version/1.1",
      "title": "Night Sky Weekly",
      "home_page_url": "https://nightsky.example/",
      "feed_url": "https://nightsky.example/feed.json",
      "description": "What to see with two eyes and no telescope.",
      "authors": [
        {
          "name": "Noor Haddad"
        }
      ],
      "items": [
        {
          "id": "2026-47",
          "url": "https://nightsky.example/2026/47",
          "title": "Week 47: the Leonids are over, the Moon is not",
          "content_html": "<p>First quarter on the 17th, full on the 24th.</p>",
          "date_published": "2026-11-20T18:00:00Z"
        },
        {
          "id": "2026-46",
          "url": "https://nightsky.example/2026/46",
          "title": "Week 46: where to look for the Leonids, and why the hour before dawn is worth getting up for even in November",
          "content_html": "<p>Face east.</p>",
          "date_published": "2026-11-13T18:00:00Z"
        },
        {
          "id": "2026-45",
          "url": "https://nightsky.example/2026/45",
          "title": "Week 45: Jupiter rises before midnight",
          "content_html": "<p>Bright, steady, unmistakable.</p>",
          "date_published": "2026-11-06T18:00:00Z"
        },
        {
          "id": "2026-44",
          "url": "https://nightsky.example/2026/44",
          "title": "Week 44: dark evenings at last",
          "content_html": "<p>The clocks have changed.</p>",
          "date_published": "2026-10-30T18:00:00Z"
        },
        {
          "id": "2026-43",
          "url": "https://nightsky.example/2026/43",
          "title": "Week 43: Orion at eleven",
          "content_html": "<p>Look south-east.</p>",
          "date_published": "2026-10-23T17:00:00Z"
        }
      ]
    }
    """#
}
