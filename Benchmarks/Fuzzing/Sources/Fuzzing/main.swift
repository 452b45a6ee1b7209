import Trials

runFuzzer(of: [
  "heads": HeadFuzzer(), "codings": CodingFuzzer(), "cookies": CookieFuzzer(),
  "redaction": RedactionFuzzer(), "curl": CURLFuzzer(), "json": JSONFuzzer(),
])
