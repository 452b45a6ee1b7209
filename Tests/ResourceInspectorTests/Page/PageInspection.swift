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
  /// Elements with text whose contrast is lower than 4.5 : 1.
  var lowContrast: [String]
  /// Controls without a name, images without a label, and headers without a scope.
  var unnamed: [String]
  /// Elements of which the markup came from data.
  var images: Int
  var totals: String
  var hosts: String

  /// Adds the script to a page, without its policy, and returns the page.
  static func added(to html: String) -> String {
    let start = html.range(of: "<meta http-equiv=\"Content-Security-Policy\"")
    let end = start.flatMap { html.range(of: ">", range: $0.upperBound..<html.endIndex) }
    guard let start, let end else { return html }
    var page = html
    page.removeSubrange(start.lowerBound..<end.upperBound)
    return page.replacingOccurrences(of: "</body>", with: "<script>\(script)</script></body>")
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
    const words = node => node.innerText.replace(/\s+/g, " ").trim();
    const all = selector => [...document.querySelectorAll(selector)];
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
        found.lowContrast = lowContrast();
        found.unnamed = unnamed();
        found.images = all("img, svg, iframe, object, a[href^=javascript]").length;
        found.totals = words(element("totals"));
        found.hosts = words(element("hosts"));
        const json = new TextEncoder().encode(JSON.stringify(found));
        document.body.append(create("pre", { id: "inspection" },
          btoa(String.fromCharCode(...json))));
      });
    });

    // The contrast of WCAG 2, by relative luminances.
    function luminance(colour) {
      const [red, green, blue] = colour.match(/[\d.]+/g).map(Number).map(value => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    }
    function background(node) {
      for (let place = node; place; place = place.parentElement) {
        const colour = getComputedStyle(place).backgroundColor;
        if (!/, 0\)$/.test(colour)) return colour;
      }
      return "rgb(255, 255, 255)";
    }
    function lowContrast() {
      return all("body *").filter(node =>
        [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim())
          && node.getClientRects().length > 0 && !["SCRIPT", "OPTION"].includes(node.tagName))
        .filter(node => {
          const one = luminance(getComputedStyle(node).color);
          const other = luminance(background(node));
          return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) < 4.5;
        }).map(node => `${node.tagName} ${node.className} ${words(node).slice(0, 40)}`);
    }
    function unnamed() {
      const controls = all("button, a, input, select").filter(node =>
        node.getClientRects().length > 0 && !words(node) && !node.labels?.length
          && !node.getAttribute("aria-label"));
      const images = all("[role=img]").filter(node => !node.getAttribute("aria-label"));
      const headers = all("th").filter(node => !node.getAttribute("scope"));
      const references = all("[aria-labelledby], [aria-controls], [aria-describedby]")
        .filter(node => ["aria-labelledby", "aria-controls", "aria-describedby"].some(name =>
          node.getAttribute(name) && !element(node.getAttribute(name))));
      return [...controls, ...images, ...headers, ...references].map(node => node.outerHTML);
    }
    """#
}
