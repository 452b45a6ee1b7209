import Foundation

/// What a script finds in a page, which it uses as a person would.
struct PageInspection: Decodable {
  /// The loads in the rows, from top to bottom, as `#1 GET /items/1 200 succeeded`.
  var rows: [String]
  /// The rows below a load, as `redirect GET 200`.
  var below: [String]
  /// The number of bars, and those whose pieces aren't where the load's phases are.
  var bars: Int
  var wrongBars: [String]
  var byText: [String]
  var byStatus: [String]
  var byKind: [String]
  var details: String
  var focusAfterSelecting: String
  var focusAfterClosing: String
  var focusAfterArrow: String
  /// The tables of caches, outboxes and live resources.
  var tables: [Table]
  /// The tables that keep their elements when another one changes, and the one with the focus, which
  /// is the changed one.
  var unchangedTables: [String]
  var focusAfterChange: String
  /// What is wrong by ``checks``, and the numbers of elements that they looked at.
  var faults: [String]
  var controls: Int
  var texts: Int
  var regions: Int
  var isDark: Bool
  /// Elements of which the markup came from data.
  var images: Int
  var totals: String
  var hosts: String

  struct Table: Decodable {
    var title: String
    var note: String
    var columns: [String]
    /// The texts of the cells; those of dates are ISO 8601.
    var rows: [[String]]
  }

  /// Adds the script to a page, without its policy, and returns the page.
  static func added(to html: String) -> String {
    let start = html.range(of: "<meta http-equiv=\"Content-Security-Policy\"")
    let end = start.flatMap { html.range(of: ">", range: $0.upperBound..<html.endIndex) }
    guard let start, let end else { return html }
    var page = html
    page.removeSubrange(start.lowerBound..<end.upperBound)
    return page.replacingOccurrences(
      of: "</body>", with: "<script>\(checks)\(script)</script></body>")
  }

  /// Reads what the script has found from the document of the page.
  init?(document: String) {
    guard let start = document.range(of: "<pre id=\"inspection\">"),
      let end = document.range(of: "</pre>", range: start.upperBound..<document.endIndex),
      let found = Data(base64Encoded: String(document[start.upperBound..<end.lowerBound])),
      let inspection = try? JSONDecoder().decode(Self.self, from: found)
    else { return nil }
    self = inspection
  }

  private static let script = #"""
    const shownRows = () => all("#loads > tr:not(.below)").map(row =>
      ["td:nth-child(1) button", ".url", "td:nth-child(4)", ".result"].map(part =>
        words(row.querySelector(part))).filter(Boolean).join(" "));
    function set(id, value) {
      element(id).value = value;
      element(id).dispatchEvent(new Event("input", { bubbles: true }));
    }
    function press(key) {
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    }

    const found = { rows: shownRows() };
    found.below = all("#loads > tr.below").map(row => ["td:nth-child(1)", "td:nth-child(2)",
      "td:nth-child(4)"].map(part => words(row.querySelector(part))).filter(Boolean).join(" "));

    const bars = all("#loads > tr:not(.below) .bar");
    const data = JSON.parse(element("data").textContent);
    const first = Math.min(...data.loads.map(load => load.start));
    const span = Math.max(...data.loads.map(end)) - first;
    found.bars = bars.length;
    found.wrongBars = bars.flatMap(bar => {
      const number = Number(bar.closest("tr").querySelector("button").dataset.load);
      const load = data.loads.find(load => load.id === number);
      const frame = bar.getBoundingClientRect();
      const expected = phases(load);
      return [...bar.children].filter((piece, index) => {
        const phase = expected[index] ?? { start: 0, end: load.duration ?? 0 };
        const place = piece.getBoundingClientRect();
        const left = (load.start + phase.start - first) / span * frame.width;
        const width = Math.max(2, (phase.end - phase.start) / span * frame.width);
        return Math.abs(place.left - frame.left - left) > 2 || Math.abs(place.width - width) > 2;
      }).map(piece => `#${number} ${piece.className}`);
    });

    found.tables = all("#tables section").map(section => ({
      title: words(section.querySelector("h2")), note: words(section.querySelector("p")),
      columns: [...section.querySelectorAll("thead th")].map(words),
      rows: [...section.querySelectorAll("tbody tr")].map(row => [...row.cells].map(cell =>
        cell.querySelector("time")?.dateTime ?? words(cell))),
    }));

    const sections = all("#tables section");
    sections[2]?.querySelector(".scroll").focus();
    const news = JSON.parse(element("table-data").textContent);
    if (news[2]) news[2].title += ": changed";
    showTables(news);
    found.unchangedTables = all("#tables section").filter((section, index) =>
      section === sections[index]).map(section => words(section.querySelector("h2")));
    found.focusAfterChange = nameOf(document.activeElement);

    set("text", "FLAKY");
    found.byText = shownRows();
    set("text", "");
    set("status", "4");
    found.byStatus = shownRows();
    set("status", "");
    set("kind", "cached");
    found.byKind = shownRows();
    set("kind", "");

    const button = element("loads").querySelector("tr[data-state=failed] button");
    button.focus();
    button.click();
    setTimeout(() => {
      found.details = words(element("detail"));
      found.focusAfterSelecting = document.activeElement.id;
      press("Escape");
      found.focusAfterClosing = document.activeElement.innerText;
      press("ArrowDown");
      found.focusAfterArrow = document.activeElement.innerText;
      button.click();
      setTimeout(() => {
        element("actions").hidden = false;
        Object.assign(found, checkPage());
        found.images = all("img, svg, iframe, object, a[href^=javascript]").length;
        found.totals = words(element("totals"));
        found.hosts = words(element("hosts"));
        const json = new TextEncoder().encode(JSON.stringify(found));
        document.body.append(create("pre", { id: "inspection" },
          btoa(String.fromCharCode(...json))));
      });
    });
    """#
}
