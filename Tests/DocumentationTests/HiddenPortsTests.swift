import TestSupport
import Testing

#if os(Linux)
  /// Runs an operation whose class was built without reflection metadata.
  ///
  /// Its declared inputs and outputs can't be found, which has to be an error with a remedy.
  @Suite(.watched, .disabled(if: Compiler.isSanitized)) struct HiddenPortsTests {
    private func lines(flags: [String]) async throws -> [Substring] {
      try await Compiler.output(of: SourceTree.fixture("HiddenPorts.swift"), flags: flags).split(separator: "\n")
    }

    @Test func `inputs and outputs that can't be found are an error with a remedy`() async throws {
      let lines = try await lines(flags: ["-Xfrontend", "-disable-reflection-metadata"])
      let remedy =
        "hiddenPorts: Build its module without -disable-reflection-metadata, or use getData(name:) and setData(name:value:)."
      for name in ["input", "object", "output", "group", "made late"] { #expect(lines.contains("\(name): \(remedy)")) }
      #expect(lines.contains("plain: true"))
      let alone = lines.last { $0.hasPrefix("alone: ") }
      #expect(alone?.contains("was built without reflection metadata") == true)
    }

    @Test func `a class that is built as usual has none of these errors`() async throws {
      let lines = try await lines(flags: [])
      for name in ["input", "object", "output", "made late", "plain"] { #expect(lines.contains("\(name): true")) }
      #expect(!lines.contains { $0.contains("hiddenPorts") })
    }
  }
#endif
