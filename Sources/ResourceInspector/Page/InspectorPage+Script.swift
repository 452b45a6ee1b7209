extension InspectorPage {
  /// Everything from loads reaches the document as text or as a number, never as markup.
  static let script = #"""
    "use strict";
    const element = id => document.getElementById(id);
    const isLive = document.documentElement.dataset.live === "true";
    const maximumRows = 500;
    const loads = new Map();   // by number
    const rows = new Map();    // by number: the load that is shown, and its rows
    let latest = null;         // the latest report
    let omitted = 0;
    let selected = null;       // the number of the load whose details are shown
    let isPaused = false;
    let isScheduled = false;

    // Documents

    function create(name, attributes, ...children) {
      const node = document.createElement(name);
      for (const [key, value] of Object.entries(attributes ?? {})) {
        if (value !== null && value !== undefined) node.setAttribute(key, value);
      }
      node.append(...children.filter(child => child !== null && child !== undefined));
      return node;
    }

    function time(milliseconds) {
      if (milliseconds === null || milliseconds === undefined) return "";
      if (milliseconds >= 1000) return (milliseconds / 1000).toFixed(2) + " s";
      return milliseconds.toFixed(milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0) + " ms";
    }

    const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

    // Loads

    const kinds = {
      running: load => load.state === "running",
      succeeded: load => load.state === "succeeded",
      cancelled: load => load.state === "cancelled",
      failed: load => load.state === "failed",
      cached: load => Boolean(load.source),
      coalesced: load => load.isCoalesced,
      retried: load => load.exchanges.some(exchange => exchange.reason === "retry"),
      redirected: load => load.exchanges.some(exchange => exchange.reason === "redirect"),
    };

    function isShown(load) {
      const host = element("host").value;
      const kind = element("kind").value;
      const status = element("status").value;
      const text = element("text").value.trim().toLowerCase();
      if (host && load.host !== host) return false;
      if (kind.startsWith("failed: ")) {
        if (load.failure !== kind.slice(8)) return false;
      } else if (kind && !kinds[kind](load)) {
        return false;
      }
      if (status === "none" && load.status) return false;
      if (status && status !== "none" && String(load.status ?? "")[0] !== status) return false;
      const searched = [`#${load.id}`, load.client, load.method, load.url, load.reason,
        ...load.exchanges.map(exchange => exchange.url)];
      return !text || searched.some(part => part && part.toLowerCase().includes(text));
    }

    // The loads to show, newest first, and those that shared the exchange of another below it.
    function shownLoads() {
      const fitting = [...loads.values()].filter(isShown).sort((one, other) => other.id - one.id);
      const shown = fitting.slice(0, maximumRows);
      const numbers = new Set(shown.map(load => load.id));
      const below = new Map();
      for (const load of shown) {
        if (!numbers.has(load.sharedLoad) || load.sharedLoad === load.id) continue;
        below.set(load.sharedLoad, [...(below.get(load.sharedLoad) ?? []), load]);
      }
      const ordered = [];
      const add = load => {
        ordered.push(load);
        for (const other of (below.get(load.id) ?? []).reverse()) add(other);
      };
      for (const load of shown) {
        if (!numbers.has(load.sharedLoad) || load.sharedLoad === load.id) add(load);
      }
      return { ordered, count: fitting.length };
    }

    function phases(load) {
      return [...load.exchanges.flatMap(exchange => exchange.phases), ...load.phases];
    }

    function end(load) {
      const ends = [load.duration ?? 0, ...phases(load).map(phase => phase.end)];
      return load.start + Math.max(...ends);
    }

    function result(load) {
      const words = [];
      if (load.state === "failed") words.push(load.reason ?? "failed");
      else words.push(load.state);
      if (load.source) words.push(load.source === "revalidated" ? "revalidated"
        : load.source === "stale" ? "stale from the cache" : "from the cache");
      if (load.isCoalesced) {
        words.push(load.sharedLoad ? `shares #${load.sharedLoad}` : "shares another load");
      }
      return words.join(", ");
    }

    // Rows

    function bar(start, list, duration) {
      const names = { queue: "queue", connect: "connect", tls: "TLS", wait: "wait", body: "body",
        parse: "parse" };
      const label = list.map(phase => `${names[phase.name]} ${time(phase.end - phase.start)}`);
      const node = create("div", { class: "bar", role: "img" });
      const whole = `no request, ${time(duration) || "running"}`;
      node.setAttribute("aria-label", label.join(", ") || whole);
      const add = (name, from, to) => {
        const piece = create("i", { class: name });
        piece.style.setProperty("--start", start + from);
        piece.style.setProperty("--length", to - from);
        node.append(piece);
      };
      if (list.length === 0) add("whole", 0, duration ?? 0);
      for (const phase of list) if (phase.name in names) add(phase.name, phase.start, phase.end);
      return node;
    }

    function row(load) {
      const button = create("button", { type: "button", class: "load", "data-load": load.id,
        "aria-expanded": "false", "aria-controls": "detail" }, `#${load.id}`);
      button.addEventListener("click", () => select(load.id));
      const state = load.state === "failed" ? "bad" : load.source ? "good" : "";
      const node = create("tr", { "data-state": load.state },
        create("td", {}, button,
          load.client ? create("span", { class: "quiet" }, ` ${load.client}`) : null),
        create("td", {}, load.method),
        create("td", { class: "url" }, create("span", { class: "quiet" }, load.host), load.target),
        create("td", { class: load.status >= 400 ? "bad" : null }, String(load.status ?? "")),
        create("td", { class: `result ${state}` }, result(load)),
        create("td", { class: "number" }, String(load.bytes ?? "")),
        create("td", { class: "number" }, time(load.duration)),
        create("td", { class: "chart" }, bar(load.start, phases(load), load.duration)));
      const lines = [node];
      const isPlain = load.exchanges.length === 1 && load.exchanges[0].reason === "first";
      if (!isPlain) for (const exchange of load.exchanges) lines.push(exchangeRow(load, exchange));
      return lines;
    }

    function exchangeRow(load, exchange) {
      const names = { first: "request", further: "further request", authentication: "after 401" };
      const outcome = exchange.hasFailed ? "broke off"
        : exchange.duration === null || exchange.duration === undefined ? "running" : "answered";
      return create("tr", { class: "below" },
        create("td", { class: "quiet" }, names[exchange.reason] ?? exchange.reason),
        create("td", {}, exchange.method),
        create("td", { class: "url quiet" }, exchange.url),
        create("td", { class: exchange.status >= 400 ? "bad" : null },
          String(exchange.status ?? "")),
        create("td", { class: exchange.hasFailed ? "result bad" : "result" }, outcome),
        create("td", { class: "number" }, String(exchange.bytes ?? "")),
        create("td", { class: "number" }, time(exchange.duration)),
        create("td", { class: "chart" }, bar(load.start, exchange.phases, exchange.duration)));
    }

    function setScale(nodes, from, span) {
      for (const node of nodes) {
        node.style.setProperty("--from", from);
        node.style.setProperty("--span", Math.max(span, 0.001));
      }
    }

    function showLoads() {
      const { ordered, count } = shownLoads();
      const body = element("loads");
      const focused = document.activeElement?.dataset?.load;
      const isAligned = element("aligned").checked;
      const from = Math.min(...ordered.map(load => load.start));
      const span = Math.max(...ordered.map(end)) - from;
      const longest = Math.max(...ordered.map(load => end(load) - load.start));
      const shownIDs = new Set(ordered.map(load => load.id));
      const nodes = [];
      for (const load of ordered) {
        if (rows.get(load.id)?.load !== load) rows.set(load.id, { load, nodes: row(load) });
        const own = rows.get(load.id).nodes;
        own[0].classList.toggle("shared", shownIDs.has(load.sharedLoad));
        own[0].classList.toggle("selected", load.id === selected);
        own[0].querySelector("button").setAttribute("aria-expanded", load.id === selected);
        setScale(own, isAligned ? load.start : from, isAligned ? longest : span);
        nodes.push(...own);
      }
      for (const id of rows.keys()) if (!shownIDs.has(id)) rows.delete(id);
      body.replaceChildren(...nodes);
      if (focused) body.querySelector(`[data-load="${Number(focused)}"]`)?.focus();
      const counted = latest.unrecorded > 0
        ? ` ${plural(latest.unrecorded, "load")} came too fast to be recorded.` : "";
      const left = omitted > 0 ? ` ${plural(omitted, "change")} came too fast to be shown.` : "";
      setText("shown", `${ordered.length} of ${plural(count, "load")} shown.${counted}${left}`);
      const list = [...shownIDs].join(",");
      element("archive").href = `archive.har?loads=${list}`;
      element("save").href = `loads.html?loads=${list}`;
    }

    // Totals and hosts

    function setText(id, text) {
      if (element(id).textContent !== text) element(id).textContent = text;
    }

    function showTotals() {
      const totals = latest.totals;
      const pairs = [["Loads", totals.begun], ["Running", totals.running],
        ["Succeeded", totals.succeeded], ["Failed", totals.failed],
        ["Cancelled", totals.cancelled], ["Requests", totals.requests],
        ["Retries", totals.retries], ["Coalesced", totals.coalesced],
        ["From the cache", totals.fromCache], ["Revalidated", totals.revalidated],
        ["Stale", totals.stale], ["Bytes received", totals.bytes],
        ...totals.failures.map(failure => [`Failed: ${failure.kind}`, failure.count])];
      element("totals").replaceChildren(...pairs.map(([name, value]) =>
        create("div", {}, create("dt", {}, name), create("dd", {}, value.toLocaleString("en")))));
    }

    function showHosts() {
      const largest = Math.log1p(Math.max(...latest.hosts.map(host => host.p99)));
      element("hosts").replaceChildren(...latest.hosts.map(host => {
        const label = `median ${time(host.median)}, 90 % ${time(host.p90)}, `
          + `99 % ${time(host.p99)}`;
        const plot = create("div", { class: "plot", role: "img", "aria-label": label });
        for (const name of ["p99", "p90", "median"]) {
          const piece = create("i", { class: name });
          piece.style.width = `${largest > 0 ? Math.log1p(host[name]) / largest * 100 : 0}%`;
          plot.append(piece);
        }
        const number = text => create("td", { class: "number" }, text);
        return create("tr", {}, create("th", { scope: "row" }, host.host || "no host"),
          number(String(host.loads)), number(String(host.failed)), number(time(host.median)),
          number(time(host.p90)), number(time(host.p99)), number(time(host.maximum)),
          create("td", {}, plot));
      }));
    }

    // Tables of caches, outboxes and live resources

    const shownTables = new Map();  // by number: the table that is shown, and its element

    function date(seconds) {
      const text = new Date(seconds * 1000).toLocaleString("sv-SE");
      return create("time", { datetime: new Date(seconds * 1000).toISOString() }, text);
    }

    function cell(value, column, isHeader) {
      const content = value.time === undefined ? value.text ?? "" : date(value.time);
      const names = [value.tone, column.isNumber ? "number" : null].filter(Boolean).join(" ");
      return isHeader ? create("th", { scope: "row", class: "url" }, content)
        : create("td", { class: names || null }, content);
    }

    function tableSection(table) {
      const id = `table-${table.id}`;
      const heads = table.columns.map(column =>
        create("th", { scope: "col", class: column.isNumber ? "number" : null }, column.name));
      const rows = table.rows.map(row => create("tr", {}, ...row.map((value, index) =>
        cell(value, table.columns[index], index === 0))));
      const grid = create("table", {}, create("thead", {}, create("tr", {}, ...heads)),
        create("tbody", {}, ...rows));
      return create("section", { "aria-labelledby": id, class: "table" },
        create("h2", { id }, table.title), create("p", { class: "quiet" }, table.note),
        rows.length === 0 ? null : create("div",
          { class: "scroll", role: "region", "aria-labelledby": id, tabindex: "0" }, grid));
    }

    // Tables that haven't changed keep their elements, with the focus and the place in them.
    function showTables(tables) {
      for (const id of shownTables.keys()) {
        if (tables.some(table => table.id === id)) continue;
        shownTables.get(id).node.remove();
        shownTables.delete(id);
      }
      for (const table of tables) {
        const text = JSON.stringify(table);
        const shown = shownTables.get(table.id);
        if (shown?.text === text) continue;
        const node = tableSection(table);
        const place = shown?.node.querySelector(".scroll");
        const [top, isFocused] = [place?.scrollTop ?? 0, place === document.activeElement];
        if (shown) shown.node.replaceWith(node);
        else element("tables").append(node);
        const next = node.querySelector(".scroll");
        if (next) next.scrollTop = top;
        if (place && isFocused) next?.focus({ preventScroll: true });
        shownTables.set(table.id, { text, node });
      }
    }

    function setOptions(id, values) {
      const select = element(id);
      const known = new Set([...select.options].map(option => option.value));
      for (const value of values) {
        if (value && !known.has(value)) select.append(create("option", { value }, value));
      }
    }

    function show() {
      isScheduled = false;
      if (latest === null) return;
      const all = [...loads.values()];
      setOptions("host", [...new Set(all.map(load => load.host))].sort());
      setOptions("kind", [...Object.keys(kinds),
        ...latest.totals.failures.map(failure => `failed: ${failure.kind}`)]);
      showTotals();
      showHosts();
      showLoads();
    }

    function schedule() {
      if (isScheduled || isPaused) return;
      isScheduled = true;
      requestAnimationFrame(show);
    }

    // Details

    function section(title, ...content) {
      return [create("h3", {}, title), ...content];
    }

    function showDetails(load) {
      const details = load.details;
      const facts = [["URL", `${load.method} ${load.url}`], ["Result", result(load)],
        ["Began", details.date], ["Time", time(load.duration) || "running"],
        ["Client", load.client], ["Load of the client", String(load.number)],
        ["Response", details.source], ["Trace", details.trace]];
      const list = create("dl", {}, ...facts.filter(fact => fact[1]).flatMap(([name, value]) =>
        [create("dt", {}, name), create("dd", {}, value)]));
      const exchanges = load.exchanges.map(exchange => create("li", {},
        `${exchange.reason}: ${exchange.method} ${exchange.url} → `
        + `${exchange.status ?? (exchange.hasFailed ? "broke off" : "no answer yet")}`
        + ` (at ${time(exchange.start)}; `
        + [...exchange.phases.map(phase => `${phase.name} ${time(phase.end - phase.start)}`),
          ...exchange.facts].join(", ") + ")"));
      const remarks = details.remarks.map(remark =>
        create("li", {}, `${time(remark.time)}: ${remark.text}`));
      element("detail-heading").textContent = `Load #${load.id}`;
      element("detail-content").replaceChildren(list,
        ...(details.error ? section("Failure", create("pre", {}, details.error)) : []),
        ...section("Request", create("pre", {}, details.curl)),
        ...(exchanges.length > 0 ? section("Exchanges", create("ol", {}, ...exchanges)) : []),
        ...(remarks.length > 0 ? section("Events", create("ul", {}, ...remarks)) : []),
        ...(details.omitted > 0
          ? [create("p", {}, `Not recorded: ${plural(details.omitted, "further event")}.`)]
          : []));
      element("detail").hidden = false;
    }

    async function loadDetails(id) {
      let load = loads.get(id);
      if (load && !load.details && isLive) {
        const response = await fetch(`loads/${id}`).catch(() => null);
        load = response?.ok ? await response.json() : null;
      }
      if (id !== selected || !load?.details) return;
      showDetails(load);
    }

    async function select(id) {
      selected = id;
      showLoads();
      await loadDetails(id);
      if (selected === id) element("detail").focus();
    }

    function close() {
      const id = selected;
      selected = null;
      element("detail").hidden = true;
      showLoads();
      document.querySelector(`[data-load="${id}"]`)?.focus();
    }

    // Events

    function receive(report) {
      latest = report;
      omitted += report.omitted;
      for (const load of report.loads) loads.set(load.id, load);
      for (const id of loads.keys()) if (id < report.oldest) loads.delete(id);
      if (report.loads.some(load => load.id === selected) && !isPaused) loadDetails(selected);
      schedule();
    }

    function move(event) {
      const buttons = [...document.querySelectorAll("button.load")];
      const place = buttons.indexOf(document.activeElement);
      const target = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0,
        End: buttons.length - 1 }[event.key];
      if (place < 0 || target === undefined || !buttons[target]) return;
      event.preventDefault();
      buttons[target].focus();
    }

    element("loads").addEventListener("keydown", move);
    document.addEventListener("keydown", event => {
      if (event.key === "Escape" && selected !== null) close();
    });
    element("close").addEventListener("click", close);
    element("filters").addEventListener("input", () => {
      showLoads();
      setText("announcement", element("shown").textContent);
    });
    element("filters").addEventListener("submit", event => event.preventDefault());
    element("pause").addEventListener("click", () => {
      isPaused = !isPaused;
      element("pause").setAttribute("aria-pressed", isPaused);
      schedule();
    });

    receive(JSON.parse(element("data").textContent));
    showTables(JSON.parse(element("table-data").textContent));
    show();
    if (isLive) {
      const source = new EventSource(`events?since=${latest.change}`);
      source.addEventListener("report", event => receive(JSON.parse(event.data)));
      source.addEventListener("tables", event => {
        if (!isPaused) showTables(JSON.parse(event.data));
      });
      source.addEventListener("open", () => setText("connection", "Live"));
      source.addEventListener("error", () => setText("connection", "The program doesn't answer."));
      setText("connection", "Connecting");
    } else {
      setText("connection", "Saved page");
      element("actions").hidden = true;
    }
    """#
}
