extension PageStyle {
  /// The parts of the page that are text.
  static let parts = """
    .top { display: grid; grid-template-columns: 1fr auto; gap: 12px 16px; border-top: 4px solid currentColor; }
    .top > * { color: var(--text); }
    .kicker { color: var(--muted); font-size: 13px; }
    .outcome, .top .facts { grid-column: 1 / -1; }
    .outcome .chip { font-size: 17px; padding: 5px 14px 5px 10px; }
    #theme { align-self: start; }
    .s-succeeded { color: var(--succeeded); } .s-failed { color: var(--failed); }
    .s-cancelled { color: var(--cancelled); } .s-running { color: var(--running); }
    .s-waiting, .s-skipped, .s-neverRan { color: var(--off); }
    .chip { display: inline-flex; align-items: center; gap: 6px; font-weight: 600; border-radius: 99px;
      padding: 1px 10px 1px 6px; border: 1px solid currentColor; font-size: 14px; white-space: nowrap; }
    .facts { display: flex; flex-wrap: wrap; gap: 8px 28px; }
    .facts dt { color: var(--muted); font-size: 13px; }
    .facts dd { font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
    .cause { border-left: 4px solid var(--failed); background: var(--shade); }
    .cause .facts { margin-top: 12px; }
    .error { font: 16px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; color: var(--failed);
      overflow-wrap: anywhere; white-space: pre-wrap; }
    .error + .error { margin-top: 8px; }
    .cause .note { margin: 8px 0 0; }
    .item dd { font: 14px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
      white-space: pre-wrap; }
    .clamp { white-space: normal; } .clamp bdi { white-space: pre-wrap; }
    .clamp summary::after { content: " show all"; color: var(--accent); font: 13px system-ui, sans-serif; }
    .clamp[open] summary::after { content: "show less"; } .clamp[open] > summary bdi { display: none; }
    .clamp summary { list-style: none; padding: 0; color: inherit; }
    .clamp summary::-webkit-details-marker { display: none; }
    .remedy { margin-top: 6px; overflow-wrap: anywhere; }
    .values { table-layout: fixed; }
    .values th { width: 24%; overflow-wrap: anywhere; }
    .values td { overflow-wrap: anywhere; }
    .values td bdi { font: 13px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
      white-space: pre-wrap; }
    .values td.plain bdi { font: inherit; }
    .cause .values thead th:nth-child(2) { width: auto; }
    .cause .values thead th:nth-child(3), .cause .values th + td + td { width: 24%; }
    .values .number { width: 80px; }
    .shares th[scope=row] { font-weight: 400; overflow-wrap: anywhere; }
    .shares .wide { width: 176px; padding-right: 0; }
    .group + .group { margin-top: 20px; padding-top: 16px; border-top: 1px solid var(--line); }
    .items { display: block; margin-top: 8px; border-radius: 4px; }
    details summary { cursor: pointer; padding: 8px 0; color: var(--accent); }
    .tools, .js .filters { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; margin-bottom: 10px;
      font-size: 14px; }
    .filters label { display: inline-flex; align-items: center; gap: 6px; color: var(--muted); }
    .filters select { max-width: 200px; }
    .filters output { color: var(--muted); margin-left: auto; font-variant-numeric: tabular-nums; }
    #zoom-range { color: var(--muted); font-variant-numeric: tabular-nums; }
    .legend { margin-left: auto; color: var(--muted); }
    .key.critical { display: inline-block; width: 18px; height: 4px; background: var(--critical); margin-right: 6px;
      vertical-align: middle; }
    .js .log-box { display: grid; grid-template-columns: minmax(0, 1fr) 320px; gap: 16px; }
    .rows { border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
    .virtual .rows { height: 560px; overflow-anchor: none; }
    .short.virtual .rows, .short #detail { height: auto; max-height: 560px; }
    .rows:focus-within { outline: 3px solid var(--accent); outline-offset: 1px; }
    #events { table-layout: fixed; font-size: 13.5px; }
    #events:focus { outline: 0; }
    #events thead th { position: sticky; top: 0; background: var(--sunk); height: 30px; padding: 4px 10px; z-index: 1; }
    #events td { padding: 3px 10px; height: 28px; line-height: 21px; overflow: hidden; text-overflow: ellipsis;
      white-space: nowrap; }
    #events tbody[aria-hidden] td { padding: 0; border: 0; }
    .virtual #events tbody:not([aria-hidden]) tr { cursor: pointer; }
    .virtual #events tbody:not([aria-hidden]) tr:hover { background: var(--sunk); }
    #events tr[aria-selected=true] { background: var(--t-running); box-shadow: inset 3px 0 var(--accent); }
    #events tr[aria-selected=true] td { color: var(--text); }
    #events .time { width: 114px; color: var(--muted); font-variant-numeric: tabular-nums; text-align: right; }
    #events .who { width: 176px; } #events .word { width: 128px; color: var(--muted); }
    #events .what bdi { font: 12.5px/21px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
    #events .l-2 .word { color: var(--cancelled); font-weight: 600; }
    #events .l-3 .word { color: var(--failed); font-weight: 600; }
    #events .w-succeeded { color: var(--succeeded); }
    #detail { border: 1px solid var(--line); border-radius: 8px; padding: 14px; height: 560px; overflow: auto; }
    #detail .facts { display: block; margin-bottom: 10px; font-size: 14px; }
    #detail .facts div { display: grid; grid-template-columns: 64px 1fr; gap: 8px; }
    #detail pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--sunk); border-radius: 6px; margin: 0 0 10px;
      padding: 8px 10px; max-height: 220px; overflow: auto;
      font: 12.5px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
    #detail h3:not(:first-child) { margin-top: 16px; }
    #detail .values th { width: 38%; }
    .new { background: var(--t-running); }
    .changed { display: block; font-weight: 400; font-size: 12px; color: var(--text); }

    """
}
