extension Document {
  /// Its code as one file: declarations stay as they are, and each block of statements becomes a function that has the
  /// name of the heading above it, and a number if there are several.
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
    // The drop-in module has the core's names, and its own meaning of some.
    if !imports.contains("import Flow_iOS") { imports.insert("import OperationFlow") }
    return (imports.sorted().map(String.init) + parts).joined(separator: "\n") + "\n"
  }

  /// The modules to link with a program of the document's code.
  var linkedModules: Set<String> { Self.linked(with: modules.subtracting(["Testing"])) }

  /// The modules, and those that they depend on.
  static func linked(with modules: Set<String>) -> Set<String> {
    var all = modules.union(["OperationFlow"])
    while true {
      let more = all.flatMap { dependencies[$0] ?? [] }
      if all.isSuperset(of: more) { return all }
      all.formUnion(more)
    }
  }

  /// The modules that each module depends on besides the core, as in the manifest.
  private static let dependencies = [
    "OperationFlowDurable": ["OperationFlowStorage"],
    "OperationFlowProgressions": ["OperationFlowStorage"],
    "OperationFlowStepFunctions": ["OperationFlowReports", "OperationFlowStorage"],
  ]

  /// Lets the compiler's messages have the document's own lines.
  private func mark(_ block: CodeBlock, skipping count: Int = 0) -> String {
    "#sourceLocation(file: \"\(block.path)\", line: \(block.line + count))"
  }
}
