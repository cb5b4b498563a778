extension Document {
  /// Returns the document's code as one file.
  ///
  /// Declarations stay as they are. Each block of statements becomes a function with the name of the heading above it,
  /// and a number if there are several.
  ///
  /// - Parameter program: The body of `main`, if there is one; it can call the functions.
  /// - Returns: The text of the file.
  func swift(program: String? = nil) -> String {
    var imports = Set(modules.union(["Foundation", "Observation"]).map { "import \($0)" as Substring })
    var parts = [preface]
    for block in others where block.isSwift {
      parts += [mark(block), block.parts.declarations.joined(separator: "\n")]
    }
    var counts: [String: Int] = [:]
    for block in blocks where block.isSwift {
      let (declarations, statements) = (block.parts.declarations, block.parts.statements)
      imports.formUnion(block.parts.imports)
      parts += [mark(block), declarations.joined(separator: "\n")]
      guard !statements.isEmpty else { continue }
      counts[block.heading, default: 0] += 1
      let count = counts[block.heading, default: 1]
      parts += [
        "func `\(block.heading)\(count > 1 ? ", \(count)" : "")`() async throws {",
        mark(block, skipping: declarations.count), statements.joined(separator: "\n"), "given.flow = flow", "}",
      ]
    }
    parts.append("#sourceLocation()")
    if let program { parts.append("@main struct Program { static func main() async throws {\n\(program)\n} }") }
    // The drop-in module exports the core's names, and defines some of them differently.
    if !imports.contains("import Flow_iOS") { imports.insert("import OperationFlow") }
    return (imports.sorted().map(String.init) + parts).joined(separator: "\n") + "\n"
  }

  /// The modules with which a program of the document's code is linked.
  var linkedModules: Set<String> {
    var all = modules.subtracting(["Testing"]).union(["OperationFlow"])
    while true {
      let more = all.flatMap { Self.dependencies[$0] ?? [] }
      if all.isSuperset(of: more) { return all }
      all.formUnion(more)
    }
  }

  /// The modules that the manifest lets each module use besides the core.
  private static let dependencies = [
    "OperationFlowDurable": ["OperationFlowStorage"],
    "OperationFlowProgressions": ["OperationFlowStorage"],
    "OperationFlowStepFunctions": ["OperationFlowReports", "OperationFlowStorage"],
    "OperationFlowTesting": ["OperationFlowDurable", "OperationFlowProgressions"],
  ]

  /// Makes the compiler's messages show the document's line numbers.
  private func mark(_ block: CodeBlock, skipping count: Int = 0) -> String {
    "#sourceLocation(file: \"\(block.path)\", line: \(block.line + count))"
  }
}
