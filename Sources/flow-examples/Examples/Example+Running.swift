extension Example {
  /// Runs examples one after the other, reports how each went, and ends with an overview of what failed.
  ///
  /// - Parameters:
  ///   - examples: The examples.
  ///   - isInFull: Whether summaries are printed; those of an example that fails always are.
  /// - Returns: How many examples failed.
  static func run(_ examples: [Example], inFull isInFull: Bool) async -> Int {
    var planned: [String] = []
    var broken: [String] = []
    for example in examples {
      if isInFull { print("\n# \(example.name)") }
      let output = ExampleOutput()
      var failure: (any Error)?
      do { try await example.run(output) } catch { failure = error }
      if isInFull || failure != nil { for text in output.texts { print(text) } }
      print("\(example.name): \(failure == nil ? "passed" : "failed")")
      for line in output.lines { print("  \(line)") }
      planned += output.failures.map { "  \(example.name): \($0)" }
      guard let failure else { continue }
      broken.append("  \(example.name): \(failure)")
      Console.report("flow-examples: \(example.name): \(failure)")
    }
    report(planned, under: "What failed in them, as it is meant to:")
    report(broken, under: "What failed, and is not meant to:")
    if !isInFull {
      print("\nFor summaries: flow-examples EXAMPLE, such as flow-examples login, or flow-examples --verbose")
      print("For many uploads to a server that makes trouble: flow-examples soak")
    }
    print("\nflow-examples: \(examples.count - broken.count) examples passed, \(broken.count) failed")
    return broken.count
  }

  private static func report(_ lines: [String], under title: String) {
    guard !lines.isEmpty else { return }
    print("\n\(title)")
    for line in lines { print(line) }
  }

  /// The examples whose names contain a text, ignoring the case of its letters.
  static func named(_ text: String) -> [Example] {
    all.filter { $0.name.lowercased().contains(text.lowercased()) }
  }
}
