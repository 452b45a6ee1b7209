import Foundation
import ResourceTesting

/// HAR files as browsers write them.
enum BrowserArchives {
  /// Chrome 130, "Save all as HAR with content": HTTP/2 pseudo-headers, `_fields`, a decoded body
  /// with a content coding, an image in base64, a cached response, a blocked request.
  static let chrome = """
    {
      "log": {
        "version": "1.2",
        "creator": {"name": "WebInspector", "version": "537.36"},
        "pages": [{
          "startedDateTime": "2026-11-20T09:14:03.123Z", "id": "page_1",
          "title": "https://api.example.org/users/1",
          "pageTimings": {"onContentLoad": 201.54, "onLoad": 310.2}
        }],
        "entries": [
          {
            "_connectionId": "381", "_initiator": {"type": "script", "stack": {"callFrames": [
              {"functionName": "load", "scriptId": "12", "url": "https://api.example.org/app.js",
               "lineNumber": 10, "columnNumber": 4}]}},
            "_priority": "High", "_resourceType": "fetch", "cache": {}, "connection": "443",
            "pageref": "page_1",
            "request": {
              "method": "GET", "url": "https://api.example.org/users/1?b=2&a=1",
              "httpVersion": "http/2.0",
              "headers": [
                {"name": ":authority", "value": "api.example.org"}, {"name": ":method", "value": "GET"},
                {"name": ":path", "value": "/users/1?b=2&a=1"}, {"name": ":scheme", "value": "https"},
                {"name": "accept", "value": "application/json"},
                {"name": "accept-encoding", "value": "gzip, deflate, br, zstd"}],
              "queryString": [{"name": "b", "value": "2"}, {"name": "a", "value": "1"}],
              "cookies": [], "headersSize": -1, "bodySize": 0
            },
            "response": {
              "status": 200, "statusText": "", "httpVersion": "http/2.0",
              "headers": [
                {"name": "content-encoding", "value": "br"}, {"name": "content-length", "value": "14"},
                {"name": "content-type", "value": "application/json"},
                {"name": "set-cookie", "value": "a=1; Path=/\\nb=2; Path=/"}],
              "cookies": [], "content": {"size": 19, "mimeType": "application/json",
                "text": "{\\"login\\":\\"octocat\\"}"},
              "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 311, "_error": null,
              "_fetchedViaServiceWorker": false
            },
            "serverIPAddress": "[2001:db8::1]", "startedDateTime": "2026-11-20T09:14:03.125Z",
            "time": 52.30399999709334,
            "timings": {"blocked": 2.5, "dns": -1, "ssl": -1, "connect": -1, "send": 0.25,
              "wait": 47.25, "receive": 2.25, "_blocked_queueing": 1.1, "_workerStart": -30}
          },
          {
            "_priority": "Low", "_resourceType": "image", "cache": {},
            "request": {"method": "GET", "url": "https://api.example.org/dot.png",
              "httpVersion": "h3", "headers": [], "queryString": [], "cookies": [],
              "headersSize": -1, "bodySize": 0},
            "response": {"status": 200, "statusText": "", "httpVersion": "h3",
              "headers": [{"name": "content-type", "value": "image/png"}], "cookies": [],
              "content": {"size": 8, "mimeType": "image/png", "text": "iVBORw0KGgo=", "encoding": "base64"},
              "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 0},
            "startedDateTime": "2026-11-20T09:14:03.300Z", "time": 4.1,
            "timings": {"blocked": 4.1, "dns": -1, "ssl": -1, "connect": -1, "send": 0, "wait": 0, "receive": 0}
          },
          {
            "_fromCache": "disk", "cache": {},
            "request": {"method": "GET", "url": "https://api.example.org/cached", "httpVersion": "http/2.0",
              "headers": [{"name": "If-None-Match", "value": "\\"v1\\""}], "queryString": [], "cookies": [],
              "headersSize": -1, "bodySize": 0},
            "response": {"status": 304, "statusText": "", "httpVersion": "http/2.0",
              "headers": [{"name": "etag", "value": "\\"v1\\""}], "cookies": [],
              "content": {"size": 6, "mimeType": "text/plain", "text": "cached"},
              "redirectURL": "", "headersSize": -1, "bodySize": 0},
            "startedDateTime": "2026-11-20T09:14:03.400Z", "time": 1, "timings": {"send": 0, "wait": 1, "receive": 0}
          },
          {
            "request": {"method": "POST", "url": "https://api.example.org/login", "httpVersion": "http/2.0",
              "headers": [{"name": "content-type", "value": "application/x-www-form-urlencoded"}],
              "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 19,
              "postData": {"mimeType": "application/x-www-form-urlencoded", "text": "user=jan+f&code=%2B1",
                "params": [{"name": "user", "value": "jan+f"}, {"name": "code", "value": "%2B1"}]}},
            "response": {"status": 302, "statusText": "", "httpVersion": "http/2.0",
              "headers": [{"name": "location", "value": "/users/1?a=1&b=2"}], "cookies": [],
              "content": {"size": 0, "mimeType": "x-unknown"},
              "redirectURL": "/users/1?a=1&b=2", "headersSize": -1, "bodySize": -1},
            "cache": {}, "startedDateTime": "2026-11-20T09:14:04.000Z", "time": 10,
            "timings": {"send": 0, "wait": 10, "receive": 0}
          },
          {
            "request": {"method": "GET", "url": "https://ads.example.net/pixel", "httpVersion": "",
              "headers": [], "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0},
            "response": {"status": 0, "statusText": "", "httpVersion": "", "headers": [], "cookies": [],
              "content": {"size": 0, "mimeType": "x-unknown"}, "redirectURL": "", "headersSize": -1,
              "bodySize": -1, "_transferSize": 0, "_error": "net::ERR_CONNECTION_REFUSED"},
            "cache": {}, "startedDateTime": "2026-11-20T09:14:04.100Z", "time": 3,
            "timings": {"blocked": 3, "dns": -1, "ssl": -1, "connect": -1, "send": 0, "wait": 0, "receive": 0}
          }
        ]
      }
    }
    """

  /// Firefox 132: offsets in dates, decoded `params`, sizes of -1, text in another charset, a body
  /// that wasn't saved.
  static let firefox = """
    {"log": {
      "version": "1.2", "creator": {"name": "Firefox", "version": "132.0"},
      "browser": {"name": "Firefox", "version": "132.0"},
      "pages": [{"id": "page_1", "pageTimings": {"onContentLoad": -8, "onLoad": 12},
        "startedDateTime": "2026-11-20T10:14:03.123+01:00", "title": "a"}],
      "entries": [
        {"startedDateTime": "2026-11-20T10:14:03.125+01:00",
         "request": {"bodySize": 21, "method": "POST", "url": "https://www.example.org/search",
           "httpVersion": "HTTP/2", "headers": [{"name": "Host", "value": "www.example.org"},
             {"name": "Content-Type", "value": "application/x-www-form-urlencoded"}],
           "cookies": [], "queryString": [], "headersSize": 412,
           "postData": {"mimeType": "application/x-www-form-urlencoded",
             "params": [{"name": "text", "value": "naïve & co"}], "text": ""}},
         "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/2",
           "headers": [{"name": "content-type", "value": "text/html; charset=iso-8859-1"},
             {"name": "transfer-encoding", "value": "chunked"}],
           "cookies": [], "content": {"mimeType": "text/html; charset=iso-8859-1", "size": 11,
             "text": "<p>naïve</p>"}, "redirectURL": "", "headersSize": 120, "bodySize": 431},
         "cache": {}, "timings": {"blocked": 0, "dns": 3, "connect": 20, "ssl": 12, "send": 0, "wait": 30,
           "receive": -1}, "time": 65, "_securityState": "secure", "serverIPAddress": "192.0.2.1",
         "connection": "443", "pageref": "page_1"},
        {"startedDateTime": "2026-11-20T10:14:04.000+01:00",
         "request": {"bodySize": 0, "method": "GET", "url": "https://www.example.org/large.bin",
           "httpVersion": "HTTP/2", "headers": [], "cookies": [], "queryString": [], "headersSize": 300},
         "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/2", "headers": [],
           "cookies": [], "content": {"mimeType": "application/octet-stream", "size": 4096,
             "comment": "Response bodies are not included."}, "redirectURL": "", "headersSize": 90,
           "bodySize": 4196},
         "cache": {}, "timings": {}, "time": 0, "pageref": "page_1"}
      ]}}
    """

  /// Safari 18: a creator with a comment, missing bodies, times to the nanosecond, lower-case
  /// versions.
  static let safari = """
    {"log": {
      "version": "1.2",
      "creator": {"name": "WebKit Web Inspector", "version": "1.0", "comment": ""},
      "pages": [{"startedDateTime": "2026-11-20T09:14:03.123Z", "id": "page_0", "title": "a",
        "pageTimings": {"onContentLoad": 0, "onLoad": 0}}],
      "entries": [
        {"pageref": "page_0", "startedDateTime": "2026-11-20T09:14:03.125Z",
         "time": 83.46799999824725,
         "request": {"method": "GET", "url": "https://api.example.org/status", "httpVersion": "h2",
           "cookies": [], "headers": [{"name": "Accept", "value": "*/*"}], "queryString": [],
           "headersSize": -1, "bodySize": -1},
         "response": {"status": 200, "statusText": "", "httpVersion": "h2", "cookies": [],
           "headers": [{"name": "Content-Type", "value": "text/plain"},
             {"name": "Content-Encoding", "value": "gzip"}],
           "content": {"size": 4, "compression": -20, "mimeType": "text/plain", "text": "fine"},
           "redirectURL": "", "headersSize": -1, "bodySize": 24, "_transferSize": 24},
         "cache": {}, "timings": {"blocked": 3.25, "dns": -1, "connect": -1, "ssl": -1,
           "send": 0.7099999819183722, "wait": 79, "receive": 0.5},
         "serverIPAddress": "192.0.2.1", "_serverPort": 443, "connection": "3",
         "_fetchType": "Network Load", "_priority": "high"},
        {"pageref": "page_0", "startedDateTime": "2026-11-20T09:14:05Z", "time": 0,
         "request": {"method": "GET", "url": "https://api.example.org/gone", "httpVersion": "",
           "cookies": [], "headers": [], "queryString": [], "headersSize": -1, "bodySize": -1},
         "response": {"status": 0, "statusText": "", "httpVersion": "", "cookies": [], "headers": [],
           "content": {"size": 0, "compression": 0, "mimeType": ""}, "redirectURL": "",
           "headersSize": -1, "bodySize": -1},
         "cache": {}, "timings": {"blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0,
           "wait": 0, "receive": 0}}
      ]}}
    """
}
