import Trials

runFuzzer(of: [
  "heads": HeadFuzzer(), "codings": CodingFuzzer(), "cookies": CookieFuzzer(),
  "redaction": RedactionFuzzer(), "curl": CURLFuzzer(), "json": JSONFuzzer(),
  "sockets": SocketFuzzer(compresses: false), "socketdeflate": SocketFuzzer(compresses: true),
  "handshakes": HandshakeFuzzer(),
])
