extension DemoDocuments {
  /// Notes on Compilers, a document of JSON Feed 1.1.
  static let compiler = #"""
    {
      "version": "https://jsonfeed.org/version/1.1",
      "title": "Notes on Compilers",
      "home_page_url": "https://compilers.example/",
      "feed_url": "https://compilers.example/feed.json",
      "description": "One pass at a time.",
      "next_url": "/feeds/compiler-2.json",
      "authors": [
        {
          "name": "P. Lindqvist"
        }
      ],
      "items": [
        {
          "id": "c-88",
          "url": "https://compilers.example/88",
          "title": "Register allocation without tears",
          "content_html": "<p>Some tears.</p>",
          "date_published": "2026-11-19T21:30:00-05:00",
          "tags": [
            "backends"
          ]
        },
        {
          "id": "c-87",
          "url": "https://compilers.example/87",
          "title": "Why `a < b` & `b > c` parse the way they do",
          "content_html": "<p>Angle brackets are brackets until they aren't.</p>",
          "date_published": "2026-11-11T20:00:00-05:00",
          "tags": [
            "parsing"
          ]
        },
        {
          "id": "c-86",
          "url": "https://compilers.example/86",
          "title": "A peephole optimiser in an afternoon",
          "content_html": "<p>It was a long afternoon.</p>",
          "date_published": "2026-11-02T20:15:00-05:00"
        }
      ]
    }
    """#
}
