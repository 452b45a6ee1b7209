import ResourcePrimitives
import Testing

/// Paths to values, as errors print them and callers write them.
struct PathKeyTests {
  @Test(arguments: [
    ("", []), ("a", ["a"]), ("a.b", ["a", "b"]), ("a[1].b", ["a", "#1", "b"]),
    ("a.1.b", ["a", "#1", "b"]), ("[0][2]", ["#0", "#2"]), (#"a\.b.c"#, ["a.b", "c"]),
    (#"a\[0\]"#, ["a[0]"]), (#"a\\.b"#, [#"a\"#, "b"]), ("-1", ["-1"]), (#"\/a"#, ["/a"]),
    ("/a.b/0/~0~1~01", ["a.b", "#0", "~/~1"]), ("/", [""]), ("/a//b", ["a", "", "b"]),
    ("e\u{301}.\u{301}x", ["e\u{301}", "\u{301}x"]),
  ])
  func `a path has names and positions, with dots or as a JSON Pointer`(
    path: String, steps: [String]
  ) {
    let keys = [PathKey](path: path)

    #expect(keys.map { ($0.intValue == nil ? "" : "#") + $0.stringValue } == steps)
  }

  @Test func `a path that is printed is read as the same path`() {
    let names = [
      "a", "", ".", "[", "]", "\\", "/", "a.b", "~", "[0]", "é\u{301}", "a/b", "x[", "-1", "..",
    ]
    let keys = names.map { PathKey($0) } + [PathKey(index: 0), PathKey(index: 12)]
    for first in keys {
      for second in keys {
        for path in [[first], [first, second], [second, first, second]] {
          let printed = (path as [any CodingKey]).dotted
          let read = [PathKey](path: printed)

          #expect(read.map(\.stringValue) == path.map(\.stringValue), "\(printed)")
        }
      }
    }
  }
}
