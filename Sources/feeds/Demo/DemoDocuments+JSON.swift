extension DemoDocuments {
  static let harbour = #"""
    {"version": "https://jsonfeed.org/version/1.1", "title": "Harbour Log", "items": [
      {"id": "harbour-212", "url": "https://harbour.example/212",
       "title": "The crane is back in service", "date_published": "2026-11-19T16:40:00+01:00",
       "content_html": "<p>After nine weeks the <em>east crane</em> lifts again.</p>"},
      {"id": "harbour-211", "url": "https://harbour.example/211",
       "title": "Fog until Thursday: what the pilots say",
       "date_published": "2026-11-17T07:15:00+01:00", "content_text": "Three ships wait."},
      {"id": "harbour-209", "url": "https://harbour.example/209",
       "title": "Dredging plan for the winter", "date_published": "2026-11-03T09:00:00+01:00",
       "content_html": "<p>The plan is out; comments are welcome until Advent.</p>"}
    ]}
    """#

  static let nightSky = #"""
    {"version": "https://jsonfeed.org/version/1.1", "title": "Night Sky Weekly", "items": [
      {"id": "2026-47", "url": "https://nightsky.example/2026/47",
       "title": "Week 47: the Leonids are over, the Moon is not",
       "date_published": "2026-11-20T18:00:00Z", "content_text": "Full on the 24th."},
      {"id": "2026-46", "url": "https://nightsky.example/2026/46",
       "title": "Week 46: where to look for the Leonids, and why before dawn",
       "date_published": "2026-11-13T18:00:00Z", "content_text": "Face east."}
    ]}
    """#

  /// Its second page repeats the last item of the first.
  static let compiler = #"""
    {"version": "https://jsonfeed.org/version/1.1", "title": "Notes on Compilers",
     "next_url": "/compiler-2.json", "items": [
      {"id": "c-88", "url": "https://compilers.example/88",
       "title": "Register allocation without tears",
       "date_published": "2026-11-19T21:30:00-05:00", "content_text": "Some tears."},
      {"id": "c-87", "url": "https://compilers.example/87",
       "title": "Why `a < b` & `b > c` parse the way they do",
       "date_published": "2026-11-11T20:00:00-05:00", "content_text": "Brackets."}
    ]}
    """#

  static let compilerArchive = #"""
    {"version": "https://jsonfeed.org/version/1.1", "title": "Notes on Compilers", "items": [
      {"id": "c-87", "url": "https://compilers.example/87",
       "title": "Why `a < b` & `b > c` parse the way they do",
       "date_published": "2026-11-11T20:00:00-05:00", "content_text": "Brackets."},
      {"id": "c-84", "url": "https://compilers.example/84",
       "title": "Error messages are the user interface",
       "date_published": "2026-10-15T19:40:00-04:00", "content_text": "Say what was found."}
    ]}
    """#
}
