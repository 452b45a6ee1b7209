import Foundation
import ResourceJSON
import ResourcePrimitives

/// The page that shows a report: one file without external resources.
///
/// It is either live, and follows the events of the server that it came from, or it stands for
/// itself.
struct InspectorPage {
  /// The policy for what the page may do: run its own script, use its own style, and read from the
  /// server that it came from.
  let policy: String
  private let head: String
  private let middle: String
  private let tail: String

  init(isLive: Bool) {
    policy =
      "default-src 'none'; script-src '\(Self.hash(Self.script))'; "
      + "style-src '\(Self.hash(Self.style))'; connect-src \(isLive ? "'self'" : "'none'"); "
      + "base-uri 'none'; form-action 'none'"
    head = """
      <!doctype html>
      <html lang="en" data-live="\(isLive)">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="referrer" content="no-referrer">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Activity</title>
      <style>\(Self.style)</style>
      </head>
      <body>
      \(Self.body)
      <script type="application/json" id="data">
      """
    middle = #"</script>\#n<script type="application/json" id="table-data">\#n"#
    tail = "</script>\n<script>\(Self.script)</script>\n</body>\n</html>\n"
  }

  /// Returns the page with a report and tables.
  func html(_ report: InspectorReport, _ tables: [ShownTable]) throws -> String {
    let tables = try JSONWriter.inspector.encode(tables)
    return head + Self.escaped(try report.json()) + middle + Self.escaped(tables) + tail
  }

  /// Returns JSON for a script, in which `<` could begin its end.
  private static func escaped(_ json: Data) -> String {
    String(decoding: json, as: UTF8.self).replacing(["<": "\\u003C", "&": "\\u0026"])
  }

  /// The source expression of a policy that allows exactly this text.
  private static func hash(_ text: String) -> String {
    "sha256-" + Data(SecureHash.sha256(text.utf8)).base64EncodedString()
  }
}
