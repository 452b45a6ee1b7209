extension DemoDocuments {
  /// Orchard Notes, a document of JSON Feed 1.1.
  static let orchard = #"""
    {
      "version": "https://jsonfeed.org/version/1.1",
      "title": "Orchard Notes",
      "home_page_url": "https://orchard.example/",
      "feed_url": "https://orchard.example/feed.json",
      "description": "Old varieties, young trees.",
      "authors": [
        {
          "name": "Mirela Dumont"
        },
        {
          "name": "Jun Asano"
        }
      ],
      "items": [
        {
          "id": "301",
          "url": "https://orchard.example/notes/301",
          "title": "Grafting wood is cut in January, not now",
          "content_html": "<p>Please stop asking.</p>",
          "date_published": "2026-11-18T12:00:00+01:00"
        },
        {
          "id": "300",
          "url": "https://orchard.example/notes/300",
          "title": "りんご and other words for apple",
          "content_html": "<p>A reader from Aomori sent a list.</p>",
          "date_published": "2026-11-10T12:30:00+01:00",
          "tags": [
            "words"
          ]
        },
        {
          "id": "299",
          "url": "https://orchard.example/notes/299",
          "date_published": "2026-11-08T18:45:00+01:00",
          "content_text": "Frost tonight. If you have a fleece, tonight is the night for it; the young pears by the wall need it most."
        },
        {
          "id": "298",
          "url": "https://orchard.example/notes/298",
          "title": "Pressing day in pictures",
          "content_html": "<p>612 litres.</p>",
          "date_published": "2026-10-25T17:00:00+02:00",
          "attachments": [
            {
              "url": "https://orchard.example/files/press.jpg",
              "mime_type": "image/jpeg",
              "size_in_bytes": 1204331
            }
          ]
        }
      ]
    }
    """#
}
