extension PageStyle {
  /// The diagram and the timeline.
  static let drawings = """
    .disc { fill: currentColor; } .mark { fill: none; stroke: var(--mark); stroke-width: 1.8; stroke-linecap: round; }
    .fill { fill: var(--mark); }
    .ring, .line { fill: none; stroke: currentColor; stroke-width: 1.4; stroke-linecap: round; }
    .ring.dashed { stroke-dasharray: 2.4 2.2; }
    .diagram-box { max-height: 1320px; border: 1px solid var(--line); border-radius: 8px; background: var(--page);
      padding: 16px; }
    .diagram { display: block; margin: 0 auto; font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
    .diagram text { fill: var(--text); }
    .diagram .name { font-weight: 600; }
    .diagram .detail, .diagram .marks { fill: var(--muted); font-size: 12px; font-weight: 400; }
    .diagram .box > rect { fill: var(--card); stroke: currentColor; }
    .diagram .frame > rect { fill: var(--sunk); stroke: var(--strong); }
    .diagram .always > rect { stroke-dasharray: 6 3; }
    .diagram .branch > rect { fill: var(--page); stroke: var(--line); }
    .diagram .s-failed > rect { stroke: var(--failed); stroke-width: 2; }
    .diagram .box.s-failed > rect { fill: var(--shade); }
    .diagram .s-skipped > rect, .diagram .s-neverRan > rect, .diagram .s-waiting > rect { stroke: var(--strong);
      stroke-dasharray: 3 3; }
    .diagram .gap > rect { fill: none; stroke: var(--strong); stroke-dasharray: 2 4; }
    .diagram .end > rect { fill: var(--card); stroke: currentColor; }
    .diagram .end text { font-weight: 600; } .diagram .start { color: var(--strong); }
    .js .diagram [data-step] { cursor: pointer; }
    .diagram [data-step]:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    .edge { fill: none; stroke: var(--strong); stroke-dasharray: 4 4; }
    .edge.taken { stroke: var(--accent); stroke-width: 2; stroke-dasharray: none; }
    .head { fill: var(--strong); } .head.taken { fill: var(--accent); }
    rect.bar, .diagram .group rect.bar { fill: var(--t-off); stroke: none; }
    rect.b-failed, .diagram .group rect.b-failed { fill: var(--failed); }
    rect.b-cancelled, .diagram .group rect.b-cancelled { fill: var(--cancelled); }
    rect.b-succeeded, .diagram .group rect.b-succeeded { fill: var(--succeeded); }
    rect.b-critical { fill: var(--critical); }
    #chart { max-height: 420px; overflow-x: hidden; overflow-y: auto; border: 1px solid var(--line); border-radius: 8px;
      background: var(--page); overflow-anchor: none; }
    #chart svg { display: block; font: 12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
    #chart text { fill: var(--text); pointer-events: none; }
    #chart .grid { stroke: var(--line); } #chart .axis { fill: var(--page); }
    #chart .tick { fill: var(--muted); font-size: 11.5px; }
    .span { cursor: pointer; }
    .span rect { fill: var(--t-off); } .t-succeeded rect { fill: var(--t-succeeded); }
    .t-failed rect { fill: var(--t-failed); } .t-cancelled rect { fill: var(--t-cancelled); }
    .t-running rect { fill: var(--t-running); }
    .unknown rect { fill: var(--page); stroke: var(--strong); stroke-dasharray: 3 4; }
    #chart .unknown text { fill: var(--muted); }
    .span:hover rect { stroke: var(--text); } .undo rect { stroke: var(--cancelled); stroke-dasharray: 3 2; }
    .span rect.critical { fill: var(--critical); stroke: none; }

    """

  /// A narrow window, and paper.
  static let media = """
    @media (min-width: 641px) {
      .top { grid-template-columns: auto 1fr auto; }
      .top .outcome { grid-column: 2; grid-row: 1; align-self: end; }
      #theme { grid-column: 3; grid-row: 1; }
    }
    @media (max-width: 900px) {
      .js .log-box { grid-template-columns: minmax(0, 1fr); }
      #detail { height: auto; max-height: 560px; }
    }
    @media (max-width: 640px) {
      body { padding: 12px 10px 32px; }
      section, .top { padding: 16px 14px; border-radius: 10px; }
      h1 { font-size: 22px; }
      .virtual .rows { height: 460px; }
      .facts { gap: 8px 20px; }
      .filters label { width: 100%; justify-content: space-between; }
      .filters select, .filters input { width: 68%; max-width: none; }
      .legend, .filters output { margin-left: 0; }
      .shares .wide { display: none; }
      #events thead { position: absolute; left: -9999px; }
      #events, #events tbody { display: block; }
      #events tbody[aria-hidden] tr, #events tbody[aria-hidden] td { display: block; }
      #events tbody:not([aria-hidden]) tr { display: grid; grid-template-columns: 112px 1fr auto; height: 54px;
        border-top: 1px solid var(--line); align-content: center; }
      #events tbody:not([aria-hidden]) td { border: 0; height: 24px; padding: 1px 10px; width: auto; }
      #events .time { text-align: left; } #events .what { grid-column: 1 / -1; }
      .cause .values thead, .group .values thead { position: absolute; left: -9999px; }
      .cause .values :is(tr, td, th), .group .values :is(tr, td, th) { display: block; }
      .cause .values :is(th, td), .group .values :is(th, td) { width: auto; padding: 2px 0; border: 0; }
      .cause .values th + td + td { width: auto; color: var(--muted); font-size: 13px; }
      .cause .values tr, .group .values tr { border-top: 1px solid var(--line); padding: 6px 0; }
      .group .values .number { text-align: left; }
      .group .values td::before { content: attr(data-name); display: block; color: var(--muted); font-size: 13px; }
    }
    @media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
    @media print {
      :root, :root[data-theme] { color-scheme: light; \(light) }
      body { max-width: none; padding: 0; font-size: 11pt; }
      section, .top { border-radius: 0; break-inside: auto; padding: 12px 0; border-width: 1px 0 0; }
      .cause { border-left-width: 4px; padding-left: 12px; }
      .tools, .filters, #theme, .js .scripted.filters, .hint, #detail, .skip { display: none !important; }
      .scroll, .rows, .virtual .rows, .diagram-box, #chart { height: auto; max-height: none; overflow: visible; border: 0; }
      .js .log-box { display: block; }
      .diagram { max-width: 100%; height: auto; }
      #chart svg { max-width: 100%; height: auto; }
      #events td { white-space: normal; height: auto; overflow-wrap: anywhere; }
      #events thead th { position: static; }
      h2, h3, tr, .group p { break-inside: avoid; break-after: avoid-page; }
      tr { break-after: auto; }
      * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
    }

    """
}
