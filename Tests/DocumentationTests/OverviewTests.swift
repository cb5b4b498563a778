import Foundation
import TestSupport
import Testing

/// What `Docs/API.md` and the table of steps list, beside what the sources declare.
@Suite(.watched) struct OverviewTests {
  private static let modules = [
    "OperationFlow", "OperationFlowProgressions", "OperationFlowReports", "OperationFlowStepFunctions",
    "OperationFlowTesting",
  ]

  private static func lines(of module: String) throws -> [Substring] {
    try SourceTree.files(in: "Sources/" + module, ending: ".swift").sorted().flatMap {
      try SourceTree.text(of: $0).split(separator: "\n")
    }
  }

  /// The names in the first column of the tables, such as `Flow.run(with:)`.
  private static func listed() throws -> [String] {
    try SourceTree.text(of: "Docs/API.md").split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { row in
      row.dropFirst(2).prefix { $0 != "|" }.matches(of: #/`([^`]+)`/#).map { String($0.1) }
    }
  }

  @Test(arguments: modules)
  func `every public type has a line`(module: String) throws {
    let listed = try Set(Self.listed().flatMap { $0.prefix { $0 != "(" }.split(separator: ".").map(String.init) })
    let declaration =
      #/^ *(?:nonisolated )?(?:public|open) (?:final |indirect )?(?:class|struct|enum|protocol|actor|typealias) (\w+)/#
    let declared = try Self.lines(of: module).compactMap { try declaration.firstMatch(in: $0).map { String($0.1) } }
    #expect(!declared.isEmpty)
    for name in declared where !listed.contains(name) {
      Issue.record("Docs/API.md has no line for the public type \(name) of \(module). Add one under its task.")
    }
  }

  @Test func `every name is one of the sources`() throws {
    let declaration = #/(?:func|var|let|init|case|class|struct|enum|protocol|typealias) `?(\w+)/#
    let lines = try Self.modules.flatMap(Self.lines)
    let declared = Set(lines.flatMap { $0.matches(of: declaration).map { String($0.1) } })
    let listed = try Self.listed()
    #expect(listed.count > 100)
    for name in listed {
      for part in name.prefix(while: { $0 != "(" }).split(separator: ".") where !declared.contains(String(part)) {
        Issue.record("Docs/API.md lists \(name), but no source declares \(part).")
      }
    }
  }

  @Test func `the table of steps lists the overloads that add one`() throws {
    let builder = SourceTree.files(in: "Sources/OperationFlow/Builder", ending: ".swift")
      .filter { !$0.contains("Mistakes") && !$0.contains("Progression") }
    let code = try builder.map(SourceTree.text).joined()
    let article = try SourceTree.text(of: "Sources/OperationFlow/OperationFlow.docc/StepsAndTraits.md")
    for (method, limit) in [("add", 5), ("forEach", 9)] {
      let declared = code.ranges(of: try Regex("public func \(method)[<(]")).count
      let listed = article.split(separator: "\n").filter { $0.hasPrefix("| ") }
        .reduce(0) { $0 + $1.ranges(of: "`\(method)(").count }
      #expect(declared == listed && declared <= limit)
    }
  }
}
