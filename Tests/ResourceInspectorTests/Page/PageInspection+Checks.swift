import Foundation

extension PageInspection {
  /// The checks that a page needs no program for.
  static func onlyChecks(_ html: String) -> String {
    let report =
      "document.body.dataset.faults = btoa(unescape(encodeURIComponent("
      + "JSON.stringify(checkPage().faults))));"
    return html.replacingOccurrences(
      of: "</body>", with: "<script>\(checks)\(report)</script></body>")
  }

  /// Reads what ``onlyChecks(_:)`` has found.
  static func faults(document: String) -> [String]? {
    guard let start = document.range(of: "data-faults=\""),
      let end = document.range(of: "\"", range: start.upperBound..<document.endIndex),
      let found = Data(base64Encoded: String(document[start.upperBound..<end.lowerBound]))
    else { return nil }
    return try? JSONDecoder().decode([String].self, from: found)
  }

  /// A page that breaks each of the rules.
  static let badPage = """
    <html><head><title></title></head><body style="background: #fff">
    <h2>Second</h2><h4>Fourth</h4>
    <main><button></button><button style="width: 10px; height: 10px">A button</button>
    <table><tr><th>Head</th><td>One</td></tr><tr><td>Two</td></tr></table>
    <p id="twice">a</p><p id="twice" role="paragraf">b</p>
    <p aria-labelledby="nowhere" aria-expandet="true">c</p>
    <div style="overflow: auto; width: 50px"><p style="width: 500px">Scrolls</p></div>
    <div tabindex="0">No role</div><p tabindex="3" role="note" aria-label="First">d</p>
    <p style="color: #999">Pale</p><ul><p>No item</p></ul></main><img src="data:,">
    </body></html>
    """

  static let rules = [
    "contrast", "document", "focus", "heading", "id", "landmark", "list", "live", "name",
    "reference", "role", "table", "target",
  ]

  /// JavaScript: `checkPage()` returns what is wrong with the page for people who use a keyboard, a
  /// screen reader, or little light, by the rules that axe checks.
  static let checks = #"""
    const words = node => node.innerText.replace(/\s+/g, " ").trim();
    const all = selector => [...document.querySelectorAll(selector)];
    const isVisible = node => node.checkVisibility({ visibilityProperty: true })
      && node.getClientRects().length > 0;
    const shown = selector => all(selector).filter(isVisible);
    const referred = (node, name) => (node.getAttribute(name) ?? "").split(" ").filter(Boolean);
    const at = id => document.getElementById(id);

    function nameOf(node) {
      const labels = referred(node, "aria-labelledby").map(id => at(id)?.textContent ?? "");
      const texts = [...labels, node.getAttribute("aria-label"), node.getAttribute("alt"),
        ...[...node.labels ?? []].map(label => label.textContent),
        ["BUTTON", "A", "SUMMARY"].includes(node.tagName) ? node.textContent : ""];
      return texts.find(text => text?.trim()) ?? "";
    }

    // The colours of WCAG 2, by relative luminances, and with what shines through.
    const colour = text => {
      const numbers = text.match(/[\d.]+/g).map(Number);
      const scale = text.startsWith("color(") ? 255 : 1;
      return [...numbers.slice(0, 3).map(part => part * scale), numbers[3] ?? 1];
    };
    const over = (front, back) => [0, 1, 2].map(part =>
      front[part] * front[3] + back[part] * (1 - front[3])).concat(1);
    function background(node) {
      const layers = [];
      for (let place = node; place; place = place.parentElement) {
        layers.push(colour(getComputedStyle(place).backgroundColor));
        if (layers.at(-1)[3] === 1) break;
      }
      const canvas = colour(getComputedStyle(document.documentElement).colorScheme
        === "light dark" && matchMedia("(prefers-color-scheme: dark)").matches
        ? "rgb(18, 18, 18)" : "rgb(255, 255, 255)");
      return layers.reverse().reduce((back, layer) => over(layer, back), canvas);
    }
    function luminance(parts) {
      const [red, green, blue] = parts.map(value => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    }
    function contrast(node) {
      const back = background(node);
      const front = over(colour(getComputedStyle(node).color), back);
      const [one, other] = [luminance(front), luminance(back)];
      return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    }
    const hasText = node => node.matches("input, select") || [...node.childNodes].some(child =>
      child.nodeType === Node.TEXT_NODE && child.data.trim());

    const controls = "button, a[href], input, select, textarea, summary";
    // The roles of the page, and the elements that may have them.
    const roles = { status: "p, div", group: "div", search: "form", region: "div, section",
      img: "div, span", note: "p" };
    const states = { "aria-expanded": ["true", "false"], "aria-pressed": ["true", "false"],
      "aria-label": null, "aria-labelledby": null, "aria-describedby": null,
      "aria-controls": null };
    const lists = { UL: ["LI"], OL: ["LI"], DL: ["DIV", "DT", "DD"] };

    function checkPage() {
      const faults = [];
      const fault = (rule, node) => faults.push(
        `${rule}: ${typeof node === "string" ? node : node.outerHTML.slice(0, 160)}`);
      const require = (rule, nodes, condition) => {
        for (const node of nodes) if (!condition(node)) fault(rule, node);
      };

      if (!document.documentElement.lang) fault("document", "no lang");
      if (!document.title.trim()) fault("document", "no title");
      const viewport = document.querySelector("meta[name=viewport]")?.content ?? "";
      if (/user-scalable=no|maximum-scale/.test(viewport)) fault("document", "can't be zoomed");

      const levels = shown("h1, h2, h3, h4, h5, h6").map(node => Number(node.tagName[1]));
      if (levels[0] !== 1 || levels.filter(level => level === 1).length !== 1) {
        fault("heading", `the levels are ${levels}`);
      }
      levels.forEach((level, index) => {
        if (index > 0 && level > levels[index - 1] + 1) fault("heading", `${levels}`);
      });
      require("heading", shown("h1, h2, h3, h4, h5, h6"), words);

      const ids = all("[id]").map(node => node.id);
      for (const id of new Set(ids)) if (ids.indexOf(id) !== ids.lastIndexOf(id)) fault("id", id);
      for (const name of ["aria-labelledby", "aria-describedby", "aria-controls"]) {
        require("reference", all(`[${name}]`), node => referred(node, name).every(at));
      }
      require("reference", all("label[for]"), node => at(node.htmlFor));

      require("name", shown(`${controls}, [role=img], [role=region], [role=group], [role=search], `
        + "section[aria-labelledby], img"), nameOf);
      require("role", all("[role]"), node =>
        roles[node.getAttribute("role")] && node.matches(roles[node.getAttribute("role")]));
      require("role", all("*"), node => node.getAttributeNames().every(name =>
        !name.startsWith("aria-") || name in states && (states[name] === null
          || states[name].includes(node.getAttribute(name)))));
      require("live", [document.body], () => all("[role=status], [aria-live]").length > 0
        && all("[role=status], [aria-live]").every(node => node.checkVisibility()));
      require("landmark", [...document.body.children], node =>
        node.matches("header, main, footer, nav, script, style, [hidden]"));

      for (const table of shown("table")) {
        require("table", table.querySelectorAll("th"), node =>
          ["col", "row"].includes(node.scope));
        require("table", [table], () => table.tHead !== null);
        const width = table.tHead?.rows[0].cells.length;
        require("table", table.querySelectorAll("tr"), row => row.cells.length === width);
      }
      for (const list of shown("ul, ol, dl")) {
        require("list", [...list.children], node => lists[list.tagName].includes(node.tagName));
      }

      const scrolls = shown("*").filter(node =>
        /auto|scroll/.test(getComputedStyle(node).overflowX + getComputedStyle(node).overflowY)
          && (node.scrollWidth > node.clientWidth || node.scrollHeight > node.clientHeight));
      require("focus", scrolls.filter(node => node !== document.documentElement), node =>
        node.tabIndex >= 0 || node.querySelector(controls) || node.tabIndex === -1
          && node.hasAttribute("tabindex"));
      require("focus", shown("[tabindex]"), node => node.tabIndex <= 0);
      require("focus", shown("[tabindex='0']"), node => nameOf(node)
        && (node.hasAttribute("role") || node.matches(controls)));

      const targets = shown(controls);
      require("target", targets, node => [node, ...node.labels ?? []].some(place => {
        const { width, height } = place.getBoundingClientRect();
        return width >= 24 && height >= 24;
      }));
      const texts = shown("body *").filter(node => hasText(node)
        && !["SCRIPT", "STYLE", "OPTION"].includes(node.tagName));
      for (const node of texts) {
        const ratio = contrast(node);
        if (ratio < 4.5) fault("contrast", `${ratio.toFixed(2)} ${node.outerHTML.slice(0, 160)}`);
      }
      return { faults, controls: targets.length, texts: texts.length,
        regions: shown("[role=region]").length,
        isDark: matchMedia("(prefers-color-scheme: dark)").matches };
    }

    """#
}
