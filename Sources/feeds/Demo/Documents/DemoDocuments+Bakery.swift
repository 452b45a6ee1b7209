extension DemoDocuments {
  /// Crumb & Crust, a document of JSON Feed 1.1.
  static let bakery = #"""
    {
      "version": "https://jsonfeed.org/version/1.1",
      "title": "Crumb & Crust",
      "home_page_url": "https://crumb.example/",
      "feed_url": "https://crumb.example/feed.json",
      "description": "A bakery's notebook.",
      "authors": [
        {
          "name": "Tomás Oyelaran"
        }
      ],
      "items": [
        {
          "id": "https://crumb.example/rye-2",
          "url": "https://crumb.example/rye-2",
          "title": "Rye, second attempt: less water, more patience",
          "content_html": "<p>74 % hydration, 16 hours, and nobody opened the oven.</p>",
          "date_published": "2026-11-20T05:10:00Z",
          "tags": [
            "rye",
            "sourdough"
          ]
        },
        {
          "id": "https://crumb.example/oven",
          "url": "https://crumb.example/oven",
          "title": "What a stone oven does when the chimney is cold",
          "content_html": "<p>It smokes.</p>",
          "date_published": "2026-11-14T05:20:00Z"
        },
        {
          "id": "https://crumb.example/quince",
          "url": "https://crumb.example/quince",
          "title": "Quince tarts on Saturday only",
          "content_html": "<p>The quinces come from the <a href=\"https://orchard.example/\">orchard</a>.</p>",
          "date_published": "2026-11-06T04:55:00Z"
        },
        {
          "id": "https://crumb.example/salt",
          "url": "https://crumb.example/salt",
          "title": "Forgetting the salt, a confession",
          "content_html": "<p>Two hundred rolls.</p>",
          "date_published": "2026-10-28T05:00:00Z"
        }
      ]
    }
    """#
}
