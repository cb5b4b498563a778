import Foundation
import OperationFlow
import OperationFlowDurable
import TestSupport
import Testing

@testable import flow_store

/// Runs the built tool.
@Suite(.watched) struct BuiltToolTests {
  /// The folder of the build, which contains the tests too.
  private static var folder: URL {
    #if os(macOS)
      for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
        return bundle.bundleURL.deletingLastPathComponent()
      }
    #endif
    return (Bundle.main.executableURL ?? Bundle.main.bundleURL).deletingLastPathComponent()
  }

  private struct Result {
    let status: Int32
    let output: String
  }

  /// Runs the tool with an empty standard input.
  private static func run(_ arguments: [String]) async throws -> Result {
    let process = Process()
    process.executableURL = folder.appending(component: "flow-store")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Swift.Result {
            let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return Result(status: process.terminationStatus, output: String(decoding: output, as: UTF8.self))
          })
      }
    }
  }

  @Test func `it lists runs, and exits with the code of what it has found`() async throws {
    try await withRuns { store in
      let path = store.folder.path
      let list = try await Self.run([path, "list", "--failed"])
      #expect(list.status == 0 && list.output.hasPrefix("ID ") && list.output.contains("\nbad "))
      #expect(try await Self.run([path, "show", "none"]).status == ExitCode.unknownRun.rawValue)
      #expect(try await Self.run([path, "remove", "good"]).status == ExitCode.notConfirmed.rawValue)
      #expect(try await Self.run([path, "remove", "good", "--yes"]).output == "removed good\n")
      #expect(try await Self.run([]).status == ExitCode.usage.rawValue)
    }
  }
}
