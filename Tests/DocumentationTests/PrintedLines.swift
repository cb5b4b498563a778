import Foundation

/// The expected lines for which the output has none, in whatever order: a `…` stands for any text, and times and durations differ.
func missingLines(of expected: [String], in output: String) -> [String] {
  var lines = output.split(separator: "\n").map { String($0).withoutTime }
  return expected.map(\.withoutTime).filter { expected in
    if expected == "…" { return false }
    let parts = expected.split(separator: "…", omittingEmptySubsequences: false)
    let found = lines.firstIndex {
      $0 == expected || (parts.count > 1 && $0.hasPrefix(parts[0]) && $0.hasSuffix(parts[parts.count - 1]))
    }
    if let found { lines.remove(at: found) }
    return found == nil
  }
}

extension String {
  fileprivate var withoutTime: String {
    String(trimmingPrefix(#/\d+:\d\d:\d\d [AP]M /#)).replacing(#/\b\d+(\.\d+)? (µs|ms|s)\b/#, with: "0 s")
      .trimmingCharacters(in: .whitespaces)
  }
}
