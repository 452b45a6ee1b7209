extension InspectorPage {
  /// The elements that a script fills.
  static let body = """
    <header>
    <h1>Activity</h1>
    <p id="connection" role="status"></p>
    <div id="actions" role="group" aria-label="Actions">
    <button type="button" id="pause" aria-pressed="false">Pause</button>
    <a id="archive" download="loads.har">Save as HAR</a>
    <a id="save" download="loads.html">Save the page</a>
    </div>
    </header>
    <main>
    <section aria-labelledby="totals-heading">
    <h2 id="totals-heading">Totals</h2>
    <dl id="totals"></dl>
    </section>
    <section aria-labelledby="hosts-heading">
    <h2 id="hosts-heading">Latencies</h2>
    <div class="scroll" role="region" aria-labelledby="hosts-heading" tabindex="0">
    <table>
    <thead><tr><th scope="col">Host</th><th scope="col" class="number">Loads</th>
    <th scope="col" class="number">Failed</th>
    <th scope="col" class="number"><i class="median"></i>Median</th>
    <th scope="col" class="number"><i class="p90"></i>90 %</th>
    <th scope="col" class="number"><i class="p99"></i>99 %</th>
    <th scope="col" class="number">Longest</th><th scope="col">Plot</th></tr></thead>
    <tbody id="hosts"></tbody>
    </table>
    </div>
    </section>
    <div id="tables"></div>
    <section aria-labelledby="loads-heading">
    <h2 id="loads-heading">Loads, newest first</h2>
    <form id="filters" role="search" aria-label="Filter loads">
    <label>Host <select id="host"><option value="">All</option></select></label>
    <label>Kind <select id="kind"><option value="">All</option></select></label>
    <label>Status <select id="status"><option value="">All</option>
    <option value="1">1xx</option><option value="2">2xx</option><option value="3">3xx</option>
    <option value="4">4xx</option><option value="5">5xx</option>
    <option value="none">None</option></select></label>
    <label>Text <input id="text" type="search" autocomplete="off"></label>
    <label><input id="aligned" type="checkbox"> Align bars at their starts</label>
    </form>
    <p id="shown"></p>
    <p id="announcement" role="status"></p>
    <ul id="legend" aria-label="Colours of the bars">
    <li><i class="queue"></i>queue</li><li><i class="connect"></i>connect</li>
    <li><i class="tls"></i>TLS</li><li><i class="wait"></i>wait</li>
    <li><i class="body"></i>body</li><li><i class="parse"></i>parse</li>
    </ul>
    <div class="scroll" role="region" aria-labelledby="loads-heading" tabindex="0">
    <table id="table" aria-describedby="keys">
    <thead><tr><th scope="col">Load</th><th scope="col">Method</th><th scope="col">URL</th>
    <th scope="col">Status</th><th scope="col">Result</th>
    <th scope="col" class="number">Bytes</th><th scope="col" class="number">Time</th>
    <th scope="col" class="chart">Waterfall</th></tr></thead>
    <tbody id="loads"></tbody>
    </table>
    </div>
    <p id="keys">Arrow keys move between loads, Enter shows one, and Escape closes it.</p>
    </section>
    <section id="detail" aria-labelledby="detail-heading" tabindex="-1" hidden>
    <div><h2 id="detail-heading"></h2>
    <button type="button" id="close">Close</button></div>
    <div id="detail-content"></div>
    </section>
    </main>
    """
}
