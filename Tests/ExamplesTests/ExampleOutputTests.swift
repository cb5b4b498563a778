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
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let example = try #require(Example.all.first { $0.name == name })
      let output = try await ExampleProgram.output(of: example, in: folder)
      let lines = output.replacing(folder.path, with: "DIR").split(separator: "\n").map { String($0).withoutTimes }
      let text = try String(contentsOf: Self.expected.appending(component: "\(name).txt"), encoding: .utf8)
      #expect(lines == text.split(separator: "\n").map { String($0).withoutTimes }, "It prints:\n\(output)")
    }

    @Test func `every file of expectations is that of an example`() throws {
      let names = try FileManager.default.contentsOfDirectory(atPath: Self.expected.path)
      #expect(names.sorted() == Example.all.map { "\($0.name).txt" }.sorted())
    }

    /// Their length and their text are compared with the cookbook by `CookbookTests`.
    @Test func `every file of programs is an example with the name of the file`() throws {
      let folder = Self.expected.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/flow-examples/Programs")
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      let names = Example.all.map { $0.name.filter { $0 != "-" } + ".swift" }
      #expect(files.map { $0.lowercased() }.sorted() == names.sorted())
    }
  }

  extension String {
    fileprivate var withoutTimes: String {
      replacing(/\b\d+(\.\d+)? (µs|ms|s)\b/, with: "0 s").replacing(/\b\d\d?:\d\d:\d\d [AP]M\b/, with: "0:00:00 AM")
        .replacing(/\b\d{4}-\d\d-\d\d\b/, with: "2000-01-01")
    }
  }

  /// The program of the examples, in the same folder as the tests.
  private enum ExampleProgram {
    struct Ended: Error {
      let status: Int32
      let output: String
    }

    /// Runs an example, again if it kills itself, and returns its standard output.
    static func output(of example: Example, in folder: URL) async throws -> String {
      var ended = try await run(example.name, in: folder)
      if ended.status == SIGKILL { ended = try await run(example.name, in: folder) }
      guard ended.status == example.exitCode else { throw ended }
      return ended.output
    }

    private static func run(_ name: String, in temporary: URL) async throws -> Ended {
      let process = Process()
      process.executableURL = folder.appending(component: "flow-examples")
      process.arguments = [name, "--report", temporary.path]
      process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": temporary.path]) { $1 }
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
      return Ended(status: status, output: output)
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
