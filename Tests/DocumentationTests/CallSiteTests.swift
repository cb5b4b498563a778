import TestSupport
import Testing

#if os(Linux) || os(macOS)
  /// Compiles calls of the builder: wrong ones get a message that helps, and long chains don't overwhelm the compiler.
  @Suite(.watched, .disabled(if: Compiler.isSanitized)) struct CallSiteTests {
    @Test(arguments: ["Steps", "Traits", "Ports", "OtherModules", "SaidByTheCompiler"])
    func `a wrong call gets the message that is written beside it`(file: String) async throws {
      let text = try SourceTree.fixture("Mistakes/\(file).swift")
      let unexplained = try await unexplainedLines(of: text)
      #expect(unexplained.isEmpty, "These get no such error, or one that no comment expects:\n\(unexplained)")
    }

    @Test func `a call that compiles, another message and an unexpected error are found`() async throws {
      let unexplained = try await unexplainedLines(
        of: """
          func planted(_ flow: Flow) {
            flow.add(LoginOp())  // error: This compiles.
            flow.add("greet")  // error: Another message
            flow.add(flow)
            flow.add(flow)  // error: Write the label
          }
          """)
      #expect(unexplained.map { $0.prefix { $0 != ":" } } == ["2", "3", "4"], "\(unexplained)")
    }

    /// The compiler's solver counts its steps, on every machine alike.
    ///
    /// These calls need fewer than 1000.
    @Test(arguments: [(limit: 4000, compiles: true), (limit: 500, compiles: false)])
    func `a chain of 36 calls is type-checked in few steps`(limit: Int, compiles: Bool) async throws {
      var lines = try SourceTree.fixture("LongChain.swift").split(separator: "\n")
      let calls = lines.filter { $0.hasPrefix("    ") }
      lines.insert(contentsOf: calls + calls, at: lines.count - 1)
      let text = try SourceTree.fixture("Names.swift") + lines.joined(separator: "\n")
      let errors = try await Compiler.errors(in: text, flags: ["-Xfrontend", "-solver-scope-threshold=\(limit)"])
      #expect(errors.isEmpty == compiles, "\(errors)")
    }

    @Test func `operations and keys are used in a module whose declarations are on the main actor`() async throws {
      let text = try SourceTree.fixture("MainActorModule.swift")
      let errors = try await Compiler.errors(in: text, flags: ["-default-isolation", "MainActor"])
      #expect(errors.isEmpty, "\(errors)")
    }

    /// Returns the lines whose errors differ from the ones that their comments expect.
    private func unexplainedLines(of text: String) async throws -> [String] {
      let source = try SourceTree.fixture("Names.swift") + "#sourceLocation(file: \"Mistakes\", line: 1)\n" + text
      let output = try await Compiler.errors(in: source)
      let errors = Dictionary(
        grouping: output.matches(of: #/(?m)^Mistakes:(\d+):\d+: error: (.*)$/#), by: { Int($0.1) ?? 0 }
      ).mapValues { $0.map { String($0.2) } }
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      return lines.indices.compactMap { index in
        // The comment is in the line of the call, or above it if the line would be too long.
        let commented = [lines[index], index > 0 && lines[index - 1].isComment ? lines[index - 1] : ""]
        let expected = lines[index].isComment ? nil : commented.compactMap(\.expectedError).first
        let said = errors[index + 1] ?? []
        let isExplained = expected.map { expected in said.contains { $0.contains(expected) } } ?? said.isEmpty
        return isExplained ? nil : "\(index + 1): \(lines[index])\n  " + said.joined(separator: "\n  ")
      }
    }
  }

  extension Substring {
    fileprivate var isComment: Bool { drop { $0 == " " }.hasPrefix("//") }
    fileprivate var expectedError: Substring? { firstRange(of: "// error: ").map { self[$0.upperBound...] } }
  }
#endif
