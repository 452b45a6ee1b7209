extension DemoDocuments {
  /// Harbour Log, a document of JSON Feed 1.1.
  static let harbour = #"""
    {
      "version": "https://jsonfeed.org/version/1.1",
      "title": "Harbour Log",
      "home_page_url": "https://harbour.example/",
      "feed_url": "https://harbour.example/feed.json",
      "description": "Arrivals, tides and repairs at the old harbour.",
      "language": "en",
      "authors": [
        {
          "name": "Ines Falk",
          "url": "https://harbour.example/about"
        }
      ],
      "items": [
        {
          "id": "harbour-212",
          "url": "https://harbour.example/212",
          "title": "The crane is back in service",
          "content_html": "<p>After nine weeks the <em>east crane</em> lifts again. The first load was, of all things, the crane's own toolbox.</p>",
          "date_published": "2026-11-19T16:40:00+01:00",
          "tags": [
            "repairs"
          ]
        },
        {
          "id": "harbour-211",
          "url": "https://harbour.example/211",
          "title": "Fog until Thursday: what the pilots say",
          "content_html": "<p>Three ships wait in the roads.</p>",
          "date_published": "2026-11-17T07:15:00+01:00",
          "tags": [
            "weather",
            "pilots"
          ]
        },
        {
          "id": "harbour-210",
          "url": "https://harbour.example/210",
          "title": "A schooner from Tallinn, and how she was moored",
          "content_html": "<p>Forty metres of hull and a berth of thirty-eight.</p>",
          "date_published": "2026-11-12T19:02:00+01:00"
        },
        {
          "id": "harbour-209",
          "url": "https://harbour.example/209",
          "title": "Dredging plan for the winter",
          "content_html": "<p>The plan is out; comments are welcome until Advent.</p>",
          "date_published": "2026-11-03T09:00:00+01:00",
          "attachments": [
            {
              "url": "https://harbour.example/files/dredging.pdf",
              "mime_type": "application/pdf",
              "size_in_bytes": 482133
            }
          ]
        }
      ]
    }
    """#
}
