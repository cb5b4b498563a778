/// The style of a page, whose text is the same in every page, so that the page's policy can name its hash.
enum PageStyle {
  /// The whole style sheet.
  static let text = "\n" + colors + base + parts + drawings + media

  /// The colors: text has a contrast of at least 4.5 to what is below it, in both themes.
  static let colors = """
    :root { color-scheme: light dark; \(light) }
    @media (prefers-color-scheme: dark) { :root { \(dark) } }
    :root[data-theme=light] { color-scheme: light; \(light) }
    :root[data-theme=dark] { color-scheme: dark; \(dark) }

    """

  /// The light theme, which is printed as well.
  static let light = """
    --page: #f6f6f3; --card: #ffffff; --sunk: #f1f1ed; --line: #dcdcd5; --strong: #8b8d93; --text: #1c1d20;
    --muted: #5a5d65; --accent: #0b57a4; --succeeded: #17692f; --failed: #b0201a; --cancelled: #805300;
    --running: #0b57a4; --off: #5a5d65; --mark: #ffffff; --t-succeeded: #cfe8d5; --t-failed: #f9cfca;
    --t-cancelled: #f6e3b8; --t-running: #cfe1f7; --t-off: #e4e4df; --critical: #b4540a; --shade: #fdf1ef;
    """

  private static let dark = """
    --page: #141517; --card: #1c1e21; --sunk: #24262a; --line: #35383e; --strong: #8e929b; --text: #e9e9eb;
    --muted: #a9adb6; --accent: #85bdff; --succeeded: #74d391; --failed: #ff9189; --cancelled: #eabb5f;
    --running: #85bdff; --off: #a9adb6; --mark: #141517; --t-succeeded: #20472c; --t-failed: #632a26;
    --t-cancelled: #544017; --t-running: #1f4268; --t-off: #33363b; --critical: #ff9f4d; --shade: #2c1f1e;
    """

  /// The page as a whole.
  static let base = """
    * { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; scroll-padding-top: 12px; }
    body { margin: 0 auto; max-width: 1180px; padding: 24px 24px 48px; background: var(--page); color: var(--text);
      font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
    h1, h2, h3, p, dl, dd { margin: 0; }
    h1 { font-size: 26px; line-height: 1.25; letter-spacing: -0.01em; overflow-wrap: anywhere; }
    h2 { font-size: 18px; margin-bottom: 12px; }
    h3 { font-size: 15px; margin-bottom: 6px; overflow-wrap: anywhere; }
    a { color: var(--accent); }
    bdi { unicode-bidi: isolate; }
    section, .top { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 20px 22px;
      margin-bottom: 16px; }
    main, footer { display: block; }
    footer { color: var(--muted); font-size: 13px; padding: 4px 2px; }
    button, select, input { font: inherit; font-size: 14px; color: var(--text); background: var(--card);
      border: 1px solid var(--strong); border-radius: 7px; padding: 4px 10px; min-height: 32px; }
    button { cursor: pointer; }
    button:hover { background: var(--sunk); }
    button[aria-disabled=true] { color: var(--muted); cursor: default; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    .hidden { position: absolute; }
    .skip { position: absolute; left: -9999px; }
    .skip:focus { left: 24px; top: 8px; background: var(--card); padding: 6px 12px; z-index: 9; }
    .scripted { display: none; }
    .js .unscripted { display: none; }
    .js .scripted { display: block; }
    .js .hint .scripted { display: inline; }
    .hint, .empty, .note { color: var(--muted); font-size: 14px; }
    .hint { margin-top: 8px; }
    .note { margin: 0 0 16px 2px; overflow-wrap: anywhere; }
    .scroll { overflow: auto; }
    table { border-collapse: collapse; width: 100%; font-size: 14px; }
    caption { text-align: left; color: var(--muted); padding: 14px 0 6px; }
    th { text-align: left; font-weight: 600; }
    th, td { padding: 5px 12px 5px 0; vertical-align: top; border-top: 1px solid var(--line); }
    thead td { border-top: 0; }
    thead th { color: var(--muted); font-weight: 500; font-size: 13px; border-top: 0; }
    .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }

    """
}
