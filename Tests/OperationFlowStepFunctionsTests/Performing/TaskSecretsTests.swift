import Foundation
import OperationFlow
import TestSupport
import Testing

@testable import OperationFlowStepFunctions

@Suite(.watched) struct TaskSecretsTests {
  private struct Said: Error, CustomStringConvertible { let description: String }

  private func cause<Value: Codable & Sendable>(
    _ value: Value, saying text: @escaping @Sendable (Value) -> String
  ) async throws -> String {
    let key = FlowKey<Value>("secret", sensitive: true)
    let flow = Flow("S").set(key, to: value).add("login", .reads(key), .writesNothing) {
      throw Said(description: "no login with \(text(try $0.require(key)))!")
    }
    let bucket = try flow.executionInput(options: StateMachineOptions(sensitiveValues: .plain))
    let task = FlowTask(.nothing, of: "1. login", in: "S", run: "r", bucket: bucket)
    let failure = await #expect(throws: FlowTaskFailure.self) { try await FlowTaskPerformer(flow).perform(task) }
    return try #require(failure).cause
  }

  @Test func `a worker hides what a run on this machine hides of a value's texts`() async throws {
    let url = try #require(URL(string: "postgres://bob:hunter2222@db/x?key=abcdef12345"))
    let causes = [
      try await cause(url) { $0.password() ?? "" },
      try await cause(url) { URLComponents(url: $0, resolvingAgainstBaseURL: true)?.queryItems?[0].value ?? "" },
      try await cause(Date(timeIntervalSince1970: 1_700_000_000)) { "\($0)" },
    ]
    for cause in causes { #expect(cause.hasSuffix("no login with <redacted>!")) }
  }

  @Test func `a worker hides the item and the output of a group whose keys are sensitive`() async throws {
    let words = FlowKey<[String]>("words", sensitive: true)
    let outputs = FlowKey<[String]>("outputs", sensitive: true)
    let flow = Flow("G").forEach(
      words, into: outputs, .named("g"), .reads(),
      .undo { throw Said(description: "\(try $0.item() as String) and \(try $0.output() as String)") }
    ) { word, _ in
      if word.hasPrefix("bad") { throw Said(description: "no \(word)") }
      return word
    }
    var task = FlowTask(.item, of: "1. g", in: "G", run: "r", bucket: Data("{}".utf8))
    (task.index, task.item) = (0, Data(#""bad-word""#.utf8))
    let failure = await #expect(throws: FlowTaskFailure.self) { try await FlowTaskPerformer(flow).perform(task) }
    #expect(failure?.cause.hasSuffix("no <redacted>") == true)
    (task.mode, task.output) = (.undoItem, Data(#""an-output""#.utf8))
    let undo = await #expect(throws: FlowTaskFailure.self) { try await FlowTaskPerformer(flow).perform(task) }
    #expect(undo?.cause.hasSuffix("<redacted> and <redacted>") == true)
  }
}
