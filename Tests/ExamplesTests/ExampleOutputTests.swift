import Foundation
import TestSupport
import Testing

@testable import flow_examples

#if os(Linux) || os(macOS)
  /// Compares the whole output of each example with a file.
  @Suite(.watched) struct ExampleOutputTests {
    private static let expected = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(component: "Expected")

    @Test(arguments: Example.all.map(\.name))
    func `an example prints what is expected`(name: String) async throws {
      let folder = FileManager.default.temporaryDirectory.appending(component: "flow-examples-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      let output = try await ExampleProgram.output(of: [name, "--report", folder.path])
      let lines = output.replacing(folder.path, with: "DIR").split(separator: "\n").map { String($0).withoutTimes }
      let text = try String(contentsOf: Self.expected.appending(component: "\(name).txt"), encoding: .utf8)
      #expect(lines == text.split(separator: "\n").map { String($0).withoutTimes }, "It prints:\n\(output)")
    }

    @Test func `every file of expectations is that of an example`() throws {
      let names = try FileManager.default.contentsOfDirectory(atPath: Self.expected.path)
      #expect(names.sorted() == Example.all.map { "\($0.name).txt" }.sorted())
    }

    /// Examples stay short: a reader understands each at a glance, and all of them in one sitting.
    @Test func `an example is a file of at most 90 lines`() throws {
      let folder = Self.expected.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/flow-examples")
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.contains(/^[0-9]+-.*\.swift$/) }
      let counts = try files.map { file in
        try String(contentsOf: folder.appending(component: file), encoding: .utf8).split(
          separator: "\n", omittingEmptySubsequences: false
        ).count
      }
      #expect(files.count == Example.all.count && counts.allSatisfy { $0 <= 90 } && counts.reduce(0, +) < 1_000)
    }
  }

  extension String {
    fileprivate var withoutTimes: String { replacing(/\b\d+(\.\d+)? (µs|ms|s)\b/, with: "0 s") }
  }

  /// The program of the examples, in the same folder as the tests.
  private enum ExampleProgram {
    struct Failed: Error {
      let status: Int32
      let output: String
    }

    /// Runs the program, and returns its standard output.
    static func output(of arguments: [String]) async throws -> String {
      let process = Process()
      process.executableURL = folder.appending(component: "flow-examples")
      process.arguments = arguments
      let pipe = Pipe()
      process.standardOutput = pipe
      process.standardError = FileHandle.nullDevice
      try process.run()
      let output = String(decoding: try await read(pipe.fileHandleForReading), as: UTF8.self)
      let status = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          process.waitUntilExit()
          continuation.resume(returning: process.terminationStatus)
        }
      }
      guard status == 0 else { throw Failed(status: status, output: output) }
      return output
    }

    private static func read(_ file: FileHandle) async throws -> Data {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(with: Result { try file.readToEnd() ?? Data() })
        }
      }
    }

    /// The folder of the built programs: beside the tests' bundle on a Mac, and beside the tests' program elsewhere.
    private static var folder: URL {
      #if os(macOS)
        for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
          return bundle.bundleURL.deletingLastPathComponent()
        }
      #endif
      return (Bundle.main.executableURL ?? Bundle.main.bundleURL).deletingLastPathComponent()
    }
  }
#endif
