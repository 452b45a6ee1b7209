extension DemoDocuments {
  /// Notes on Compilers, its second page, a document of JSON Feed 1.1.
  static let compilerArchive = #"""
    {
      "version": "https://jsonfeed.org/version/1.1",
      "title": "Notes on Compilers",
      "home_page_url": "https://compilers.example/",
      "feed_url": "https://compilers.example/feed.json",
      "description": "One pass at a time.",
      "authors": [
        {
          "name": "P. Lindqvist"
        }
      ],
      "items": [
        {
          "id": "c-86",
          "url": "https://compilers.example/86",
          "title": "A peephole optimiser in an afternoon",
          "content_html": "<p>It was a long afternoon.</p>",
          "date_published": "2026-11-02T20:15:00-05:00"
        },
        {
          "id": "c-85",
          "url": "https://compilers.example/85",
          "title": "Interning strings: the boring way wins",
          "content_html": "<p>A hash table.</p>",
          "date_published": "2026-10-27T20:00:00-04:00"
        },
        {
          "id": "c-84",
          "url": "https://compilers.example/84",
          "title": "Error messages are the user interface",
          "content_html": "<p>Say what was found, and where.</p>",
          "date_published": "2026-10-15T19:40:00-04:00"
        }
      ]
    }
    """#
}
