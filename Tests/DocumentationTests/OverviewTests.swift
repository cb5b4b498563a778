import Foundation
import TestSupport
import Testing

/// Compares the lists of the landing pages and the table of steps with the declarations of the sources.
@Suite(.watched) struct OverviewTests {
  private static let modules = Document.modules + ["OperationFlow"]

  /// Returns the public types of a module that aren't nested in others.
  private static func types(of module: String) throws -> [String] {
    let declaration =
      #/^(?:@\w+ )*(?:nonisolated )?(?:public|open) (?:final |indirect )?(?:class|struct|enum|protocol|actor|typealias) (\w+)/#
    return try SourceTree.files(in: "Sources/" + module, ending: ".swift").flatMap {
      try SourceTree.text(of: $0).split(separator: "\n").compactMap { try declaration.firstMatch(in: $0) }
        .map { String($0.1) }
    }
  }

  @Test(arguments: modules)
  func `the landing page of a module lists every public type`(module: String) throws {
    let page = try SourceTree.text(of: "Sources/\(module)/\(module).docc/\(module).md")
    let listed = Set(page.matches(of: #/(?m)^- ``(\w+)``$/#).map { String($0.1) })
    let types = try Self.types(of: module)
    #expect(!types.isEmpty)
    for name in types where !listed.contains(name) {
      Issue.record("The landing page of \(module) has no line for the public type \(name). Add one under its task.")
    }
  }

  @Test func `a type that no page lists would be found`() throws {
    let types = try Self.types(of: "OperationFlow")
    #expect(types.count > 30 && types.contains("FlowOutcome") && types.contains("Flow"))
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
