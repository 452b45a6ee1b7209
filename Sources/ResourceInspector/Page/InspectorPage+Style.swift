extension InspectorPage {
  static let style = """
    :root { color-scheme: light dark; --back: #fff; --text: #1b1b1f; --quiet: #55555f;
      --line: #d5d5dc; --soft: #f3f3f6; --link: #0b57d0; --bad: #b3001e; --good: #00634a;
      --queue: #85858f; --connect: #b56d00; --tls: #a34fc4; --wait: #1f8a4c; --body: #1a6fd0;
      --parse: #c2410c; }
    @media (prefers-color-scheme: dark) { :root { --back: #16161a; --text: #ececf1;
      --quiet: #b0b0ba; --line: #3c3c46; --soft: #222229; --link: #a8c7fa; --bad: #ff9aa2;
      --good: #7fe0bd; --queue: #9a9aa6; --connect: #f0a83c; --tls: #d08ef0; --wait: #4cc983;
      --body: #6fb0ff; --parse: #ff8a5c; } }
    * { box-sizing: border-box; }
    [hidden] { display: none !important; }
    body { margin: 0; padding: 0 1rem 2rem; background: var(--back); color: var(--text);
      font: 14px/1.45 system-ui, sans-serif; }
    header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .5rem 1.5rem; }
    h1 { font-size: 1.4rem; margin: .8rem 0; }
    h2 { font-size: 1.05rem; margin: 1rem 0 .4rem; }
    h3 { font-size: .95rem; margin: .8rem 0 .3rem; }
    #connection, #keys, #shown, th, dt, .quiet { color: var(--quiet); }
    #connection { margin: 0; flex: 1; }
    #actions { display: flex; gap: 1rem; align-items: baseline; }
    a { color: var(--link); }
    button, select, #actions a, label { min-height: 1.75rem; min-width: 1.75rem; }
    #actions a, label { display: inline-flex; align-items: center; gap: .4rem; }
    button, input, select { font: inherit; color: inherit; background: var(--back);
      border: 1px solid var(--quiet); border-radius: 4px; padding: .15rem .5rem; }
    button[aria-pressed="true"] { background: var(--text); color: var(--back); }
    :focus-visible { outline: 3px solid var(--link); outline-offset: 1px; }
    dl#totals { display: flex; flex-wrap: wrap; gap: .3rem 1.6rem; margin: 0; }
    dl#totals div { display: flex; gap: .4rem; }
    dd { margin: 0; font-variant-numeric: tabular-nums; }
    #filters { display: flex; flex-wrap: wrap; gap: .5rem 1.2rem; align-items: center; }
    #announcement { position: absolute; width: 1px; height: 1px; overflow: hidden;
      clip-path: inset(50%); white-space: nowrap; }
    #shown { margin: .4rem 0; }
    #legend { display: flex; flex-wrap: wrap; gap: 1rem; list-style: none; padding: 0;
      margin: .3rem 0; }
    #legend i { display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem;
      vertical-align: -.1rem; border-radius: 2px; }
    .scroll { overflow-x: auto; }
    .table .scroll { max-height: 22rem; overflow: auto; }
    .table p { margin: 0 0 .3rem; }
    .table td { white-space: normal; }
    .table th[scope=row] { color: var(--text); font-weight: normal; }
    time { white-space: nowrap; font-variant-numeric: tabular-nums; }
    table { border-collapse: collapse; width: 100%; }
    th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid var(--line);
      vertical-align: top; white-space: nowrap; }
    th { font-weight: 600; }
    #loads > tr:not(.below) td:first-child { padding-block: 1px; }
    .number { text-align: right; padding-right: 1rem; font-variant-numeric: tabular-nums; }
    .url { white-space: normal; overflow-wrap: anywhere; min-width: 16rem; }
    td.result { white-space: normal; min-width: 16rem; max-width: 26rem; }
    th.chart, td.chart { width: 34%; min-width: 14rem; padding-right: 0; }
    tr.selected td { background: var(--soft); }
    tr.below td { border-bottom-style: dotted; }
    tr.below td:first-child, tr.shared td:first-child { padding-left: 1.4rem; }
    .bad { color: var(--bad); }
    .good { color: var(--good); }
    button.load { border-color: transparent; background: none; color: var(--link);
      padding: 0 .2rem; text-decoration: underline; font-variant-numeric: tabular-nums; }
    .bar { position: relative; height: 1.1rem; overflow: hidden; }
    .bar i { position: absolute; top: .15rem; bottom: .15rem; min-width: 2px;
      left: calc((var(--start) - var(--from)) / var(--span) * 100%);
      width: calc(var(--length) / var(--span) * 100%); }
    .below .bar i, .shared .bar i { top: .3rem; bottom: .3rem; }
    i.queue { background: var(--queue); } i.connect { background: var(--connect); }
    i.tls { background: var(--tls); } i.wait { background: var(--wait); }
    i.body { background: var(--body); } i.parse { background: var(--parse); }
    i.whole { background: none; border: 1px solid var(--quiet); border-radius: 2px; }
    .plot { position: relative; height: 1.1rem; min-width: 12rem; background: var(--soft); }
    .plot i { position: absolute; left: 0; top: .15rem; bottom: .15rem; }
    th i { display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem;
      vertical-align: -.1rem; }
    i.median { background: var(--text); }
    i.p90 { background: color-mix(in srgb, var(--text) 60%, var(--back)); }
    i.p99 { background: color-mix(in srgb, var(--text) 30%, var(--back)); }
    #detail { position: sticky; bottom: 0; max-height: 60vh; overflow: auto; margin-top: 1rem;
      padding: .2rem 1rem 1rem; background: var(--back); border: 1px solid var(--quiet);
      border-radius: 6px; }
    #detail > div:first-child { display: flex; justify-content: space-between;
      align-items: baseline; gap: 1rem; }
    #detail dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
    #detail dd { overflow-wrap: anywhere; }
    pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft);
      padding: .5rem; border-radius: 4px; margin: .3rem 0; font: 13px/1.4 monospace; }
    """
}
