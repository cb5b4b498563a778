import Foundation
import OperationFlow
import OperationFlowDurable
import OperationFlowReports

/// A page that lists runs, with links to their own pages.
struct RunIndex {
  /// The runs, the newest first, with the names of the files of their pages; `nil` for those that have none.
  let runs: [(run: FlowStoredRun, file: String?)]
  /// The number of runs that were left out.
  let leftOutCount: Int
  let folder: String
  let made: Date

  var text: String {
    let counts = Dictionary(grouping: runs, by: { RunDescription($0.run).state }).mapValues(\.count)
    let summary = counts.sorted { $0.key < $1.key }.map { "<li class=\"\($0.key)\">\($0.value) \($0.key)</li>" }
    return """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <title>Runs</title><style>\(Self.style)</style></head><body>
      <h1>Runs</h1>
      <p>\(PageText.html(folder)), as it was at \(Self.date(made))\(leftOut)</p>
      <ul class="counts">\(summary.joined())</ul>
      <table><thead><tr><th>Run</th><th>Flow</th><th>State</th><th>Began</th><th>Took</th><th>Steps</th><th>Crashes</th>\
      </tr></thead><tbody>
      \(runs.map { row($0.run, $0.file) }.joined(separator: "\n"))
      </tbody></table></body></html>

      """
  }

  private var leftOut: String { leftOutCount == 0 ? "" : ", without \(leftOutCount) older ones" }

  private func row(_ run: FlowStoredRun, _ file: String?) -> String {
    let description = RunDescription(run)
    let id = PageText.html(LineText.escaped(run.id))
    let name = file.map { "<a href=\"\(PageText.html($0))\">\(id)</a>" } ?? id
    let text = description.stateText == description.state ? "" : description.stateText
    let detail = description.error ?? text
    let took = run.began.map { Self.duration((run.ended ?? made).timeIntervalSince($0)) } ?? ""
    return """
      <tr><td data-name="Run">\(name)</td><td data-name="Flow">\(PageText.html(run.flowName))</td>\
      <td data-name="State"><span class="\(description.state)">\(description.state)</span>\(Self.detail(detail))</td>\
      <td data-name="Began">\(run.began.map(Self.date) ?? "")</td><td data-name="Took">\(took)</td>\
      <td data-name="Steps">\(run.settledStepCount)</td><td data-name="Crashes">\(run.crashCount)</td></tr>
      """
  }

  private static func detail(_ text: String) -> String {
    text.isEmpty
      ? "" : "<div class=\"detail\">\(PageText.html(ValueText.cut(LineText.escaped(text), limit: 300)))</div>"
  }

  private static func date(_ date: Date) -> String {
    let text = date.ISO8601Format()
    return "<time datetime=\"\(text)\">\(text.replacingOccurrences(of: "T", with: " ").dropLast()) UTC</time>"
  }

  private static func duration(_ seconds: TimeInterval) -> String {
    // Dates are in whole milliseconds.
    seconds < 0.001 ? "&lt; 1 ms" : DurationText.of(.milliseconds(Int64(min(seconds, 1e12) * 1000)))
  }

  /// Returns the name of the file of a run's page: always the same one for an id, and another one for each id.
  static func fileName(of id: String) -> String {
    var name = ""
    for byte in id.utf8 {
      switch byte {
      // Some file systems don't distinguish upper case from lower case.
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        name.unicodeScalars.append(UnicodeScalar(byte))
      default: name += (byte < 16 ? "_0" : "_") + String(byte, radix: 16)
      }
    }
    // Names of files may have at most 255 bytes.
    if name.utf8.count > 200 { name = name.prefix(180) + "_" + String(stableHash(id), radix: 16) }
    return "run-\(name).html"
  }

  private static func stableHash(_ text: String) -> UInt64 {
    text.utf8.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
  }

  private static let style = """
    :root { color-scheme: light dark; --line: #d5d9de; --soft: #5b6570; --bad: #b3261e; --good: #1a7f37; --wait: #8a5a00; }
    @media (prefers-color-scheme: dark) {
      :root { --line: #3a4149; --soft: #9aa5b1; --bad: #ff8a80; --good: #6fdc8c; --wait: #ffcf70; } }
    body { font: 15px/1.45 system-ui, sans-serif; margin: 24px auto; max-width: 1200px; padding: 0 16px; }
    h1 { font-size: 24px; margin: 0 0 4px; } p { color: var(--soft); margin: 0 0 12px; overflow-wrap: anywhere; }
    .counts { list-style: none; display: flex; flex-wrap: wrap; gap: 8px 20px; padding: 0; margin: 0 0 16px; }
    table { border-collapse: collapse; width: 100%; }
    th, td { text-align: left; padding: 7px 10px 7px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
    th { color: var(--soft); font-weight: 600; } td { overflow-wrap: anywhere; }
    td:nth-child(n+4) { white-space: nowrap; }
    .failed, .unreadable { color: var(--bad); font-weight: 600; } .succeeded { color: var(--good); }
    .waiting { color: var(--wait); } .detail { color: var(--soft); font-size: 13px; max-width: 60ch; }
    @media (max-width: 700px) {
      thead { display: none; } table, tbody, tr, td { display: block; width: 100%; }
      tr { border-bottom: 1px solid var(--line); padding: 8px 0; }
      td { border: 0; padding: 1px 0 1px 84px; position: relative; white-space: normal !important; }
      td::before { content: attr(data-name); position: absolute; left: 0; color: var(--soft); }
      td:empty { display: none; } }
    """
}
