import Foundation
import OperationFlowReports
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable
@testable import OperationFlowStorage

private struct Address: Codable, Sendable {
  var city = "Bonn"
}

extension FlowKey where Value == Address {
  fileprivate static var address: Self { "address" }
}

extension FlowKey where Value == Int {
  fileprivate static var age: Self { "age" }
}

extension FlowKey where Value == Bool {
  fileprivate static var mistyped: Self { "address" }
  fileprivate static var mistypedMixed: Self { "mixed" }
}

extension FlowKey where Value == [any Sendable] {
  fileprivate static var mixed: Self { "mixed" }
}

private final class Greeter: FlowOperation, @unchecked Sendable {
  // Invariant: it has no state of its own.
  @FlowInput("address") var address: Int?

  override func mainLogic() { finishSuccessfully() }
}

/// After a resume, only the step that wrote a value has its type: errors then mention JSON, and nothing internal.
@Suite(.watched) struct RestoredTypeTests {
  /// Runs a flow whose first step writes, and resumes it after that step.
  private func resumed(_ add: @escaping (Flow) -> Flow) async throws -> FlowOutcome {
    let make = {
      add(
        Flow("Typed").add("write") { context in
          context[.address] = Address()
          context[.mixed] = ["y", 6, [true]]
        })
    }
    return await make().run(id: "a", in: try await make().cut(settled: 1))
  }

  @Test func `a mistyped read says what JSON it found and what helps`() async throws {
    let outcome = try await resumed { $0.add("read") { context in _ = try context.require(.mistyped) } }
    let error = try #require(outcome.error as? FlowError)
    #expect(error.code == .mismatchedData)
    #expect(
      "\(error)".contains(
        #"<address> in data bucket is <{"city":"Bonn"}> with type <JSON object>, but NOT type <Bool>."#))
    #expect(error.problem.contains("It can't be decoded: Expected to decode Bool but found a dictionary instead."))
    #expect(error.remedy.contains("or read <address> as the type that was written. The run is left as it was"))
  }

  @Test func `an array is shown as it was before`() async throws {
    let outcome = try await resumed { $0.add("read") { context in _ = try context.require(.mistypedMixed) } }
    let error = try #require(outcome.error as? FlowError)
    #expect(
      "\(error)".contains(#"is <["y", 6, [true]]> with type <array>, but"#)
        && error.remedy.contains("as an array. The run is left as it was"))
  }

  @Test func `an array of any values has the same name before and after`() {
    for (values, name) in [
      (["a"] as [any Sendable], "Array<String>"), ([1, 2], "Array<Int>"), ([1.5], "Array<Double>"),
      ([true], "Array<Bool>"),
      (["a", 1], "array"), ([[1]], "array"), ([], "Array<String>"),
    ] {
      let restored = try? StoredBytes(values)?.value
      #expect(foundType(of: values).name == name)
      #expect(restored.map { foundType(of: $0).name } == name)
    }
  }

  @Test func `validation speaks of JSON too`() {
    let reader = Flow().set("address", to: StoredJSON(Array(#"{"city":"Bonn"}"#.utf8))).add(Greeter())
    let problems = reader.validate().map(\.description).joined()
    #expect(problems.contains("the data bucket holds a <JSON object> at first") && !problems.contains("StoredJSON"))
  }

  @Test func `an input that is left out and a condition that isn't met say so too, without a journal`() async throws {
    let outcome = await Flow("Typed").set("address", to: StoredJSON(Array(#"{"city":"Bonn"}"#.utf8))).add(Greeter())
      .add("never", .when(.mistyped, is: true)) { _ in }.run()
    #expect(outcome.isSuccess)
    let text = outcome.report.summary(style: .detailed)
    #expect(text.contains("<address> in data bucket is of type <JSON object>, but NOT type <Int>"))
    #expect(text.contains("or read it as the type that was written."))
    #expect(text.contains("with type <JSON object>, but NOT type <Bool>"))
    #expect(!text.contains("StoredJSON"))
  }

  @Test(arguments: [
    (#""a""#, "string"), ("[]", "array"), ("{}", "object"), ("true", "Boolean"), ("false", "Boolean"),
    ("null", "null"), ("-1", "number"), ("2.5", "number"),
  ])
  func `each kind of JSON has its name`(json: String, kind: String) {
    let stored = StoredJSON(Array(json.utf8))
    #expect(stored.form == kind && foundType(of: stored).name == (kind == "array" ? kind : "JSON \(kind)"))
    #expect(stored.description == json)
  }
}
