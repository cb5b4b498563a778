import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct LargeValueTests {
  private let service = ActivityService()
  private let store = Locked([String: Data]())

  private func values(threshold: Int) -> FlowLargeValues {
    FlowLargeValues(threshold: threshold) { [store] value in
      store.withLock { store in
        store["r\(store.count)"] = value
        return "r\(store.count - 1)"
      }
    } get: { [store] reference in
      guard let value = store.withLock({ $0[reference] }) else { throw CocoaError(.fileNoSuchFile) }
      return value
    }
  }

  private func answer(
    to input: String, largeValues: FlowLargeValues? = nil,
    body: @escaping @Sendable (String) async throws(FlowTaskFailure) -> String
  ) async throws -> ActivityService.Answer? {
    let worker = FlowWorker.forTests(service, largeValues: largeValues, body: body)
    service.add(input)
    try await worker.run(0, of: service) { await service.answered.reach(1) }
    return service.answers["t1"]?.first
  }

  @Test func `an output that is too large is a readable failure`() async throws {
    let answer = try await answer(to: "1") { _ in "\"\(String(repeating: "x", count: 300_000))\"" }
    guard case .failure(let error, let cause) = answer else { throw CocoaError(.featureUnsupported) }
    #expect(error == FlowTaskFailure.finalName)
    #expect(cause.contains("300002 bytes") && cause.contains("262144") && cause.contains("FlowLargeValues"))
  }

  @Test func `with a store it goes by reference, there and back`() async throws {
    let large = "\"\(String(repeating: "x", count: 300_000))\""
    let output = #"{"a": 0.1, "b" : \#(large) ,"c":{"d":[1e400,-0.0]}}"#
    let answer = try await answer(to: "1", largeValues: values(threshold: 1_000)) { _ in output }
    let sent = #"{"a": 0.1, "b" : {"operationFlowReference":"r0"} ,"c":{"d":[1e400,-0.0]}}"#
    #expect(answer == .success(sent))
    // Every other byte is unchanged.
    #expect(
      try await FlowLargeValues.resolving(Data(sent.utf8), with: values(threshold: 1_000)) == Data(output.utf8))
  }

  @Test func `the work gets values in place of references`() async throws {
    store.withLock { $0["r0"] = Data("[1,2]".utf8) }
    let answer = try await answer(
      to: #"{"x":[{"operationFlowReference" : "r0"},"{\"operationFlowReference\":\"no\"}"]}"#,
      largeValues: values(threshold: 1_000)
    ) { $0 }
    #expect(answer == .success(#"{"x":[[1,2],"{\"operationFlowReference\":\"no\"}"]}"#))
  }

  @Test func `an object that has more than a reference is no reference`() async throws {
    let input = Data(#"{"a":{"operationFlowReference":"r0","b":1},"operationFlowReference":1}"#.utf8)
    #expect(try await FlowLargeValues.resolving(input, with: values(threshold: 1_000)) == input)
  }

  @Test func `a value that the store doesn't have may be there later`() async throws {
    let answer = try await answer(
      to: #"{"operationFlowReference":"gone"}"#, largeValues: values(threshold: 1_000)
    ) { $0 }
    guard case .failure(let error, let cause) = answer else { throw CocoaError(.featureUnsupported) }
    #expect(error == FlowTaskFailure.failedName && cause.contains("\"gone\""))
  }

  @Test func `a reference without a store is a clear failure`() async throws {
    let answer = try await answer(to: #"{"operationFlowReference":"r0"}"#) { $0 }
    guard case .failure(let error, let cause) = answer else { throw CocoaError(.featureUnsupported) }
    #expect(error == FlowTaskFailure.finalName && cause.contains("FlowLargeValues"))
  }

  @Test(arguments: [
    // An array, a text, and an object of many small members are replaced as a whole.
    "[\(String(repeating: "1,", count: 1_000))1]", "\"\(String(repeating: "ü", count: 1_000))\"",
    "{" + (0..<200).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}",
  ])
  func `what has no large members is replaced as a whole`(output: String) async throws {
    let smaller = try await values(threshold: 1_000).replacing(Data(output.utf8))
    #expect(smaller.count < 60)
    let original = try await FlowLargeValues.resolving(smaller, with: values(threshold: 1_000))
    #expect(original == Data(output.utf8))
  }

  @Test func `no more members are replaced than have to be`() async throws {
    let output = #"{"a":"\#(String(repeating: "a", count: 600))","b":"\#(String(repeating: "b", count: 700))"}"#
    let smaller = try await values(threshold: 1_000).replacing(Data(output.utf8))
    #expect(store.withLock { $0.values.map(\.count) } == [702])
    #expect(String(decoding: smaller, as: UTF8.self).contains("aaa"))
    let small = Data(#"{"a":1}"#.utf8)
    #expect(try await values(threshold: 1_000).replacing(small) == small)
  }

  @Test(arguments: 0..<200) func `any value comes back as it was`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let object = (0..<generator.below(6)).map { "\"k\($0)\" : \(Self.value(&generator, depth: 3))" }
    let text = " {" + object.joined(separator: " ,") + "} "
    let values = values(threshold: generator.below(400))
    let smaller = try await values.replacing(Data(text.utf8))
    #expect(try await FlowLargeValues.resolving(smaller, with: values) == Data(text.utf8))
    #expect((try? JSONSerialization.jsonObject(with: smaller)) != nil)
  }

  @Test func `a folder keeps values under the hash of their content, and takes no path as a reference`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("values-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let values = FlowLargeValues.folder(folder, threshold: 10)
    let value = Data(#"["a long value"]"#.utf8)
    let first = try await values.replacing(value)
    #expect(try await values.replacing(value) == first)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [MessageDigest.sha256(value)])
    #expect(try await FlowLargeValues.resolving(first, with: values) == value)
    let outside = folder.appendingPathExtension("txt")
    try Data("1".utf8).write(to: outside)
    defer { try? FileManager.default.removeItem(at: outside) }
    for reference in ["../\(outside.lastPathComponent)", "", String(repeating: "g", count: 64)] {
      let input = try JSONEncoder().encode(["operationFlowReference": reference])
      await #expect(throws: FlowTaskFailure.self) { try await FlowLargeValues.resolving(input, with: values) }
    }
  }

  @Test func `an execution's input goes by reference, but for what states look into`() async throws {
    let items = FlowKey<[Int]>("items")
    let text = FlowKey<String>("text")
    let flow = Flow("Large").set(text, to: String(repeating: "x", count: 300_000)).set(items, to: Array(0..<1_000))
      .forEach(items, .reads(text)) { _, _ in }
    let input = try await flow.executionInput(largeValues: values(threshold: 1_000))
    let members = try #require(try Value(input).members)
    #expect(members.keys.sorted() == ["items", "text"])
    #expect(members["items"] == .array((0..<1_000).map { .number(Double($0)) }))
    #expect(members["text"] == .object(["operationFlowReference": .text("r0")]))
    let whole = try await FlowLargeValues.resolving(input, with: values(threshold: 1_000))
    #expect(try Value(whole) == Value(try flow.executionInput()))
  }

  @Test func `an execution's input that can't be stored is an error that says so`() async throws {
    let text = FlowKey<String>("text")
    let flow = Flow("Large").set(text, to: String(repeating: "x", count: 300_000))
      .add("read", .reads(text), .writesNothing) { _ in }
    let full = FlowLargeValues { _ in
      throw CocoaError(.fileWriteOutOfSpace)
    } get: { _ in
      Data()
    }
    let error = await #expect(throws: StateMachineExportError.self) {
      try await flow.executionInput(largeValues: full)
    }
    #expect(error?.reasons.count == 1 && error?.description.contains("300002 bytes") == true)
  }

  /// Returns a random JSON text.
  private static func value(_ generator: inout SeededGenerator, depth: Int) -> String {
    let texts = ["\"{\\\"a\\\":1}\"", "\"]},:\"", "\"\\\\\"", "\"ü👨‍👩‍👧‍👦\"", "1.50", "-0", "true", "null", "{}", "[ ]"]
    if depth == 0 || generator.oneIn(3) { return texts[generator.below(texts.count)] }
    if generator.oneIn(3) { return "\"\(String(repeating: "long", count: generator.below(300)))\"" }
    let parts = (0..<generator.below(4)).map { _ in value(&generator, depth: depth - 1) }
    if generator.oneIn(2) { return "[" + parts.joined(separator: ", ") + "]" }
    return "{" + parts.enumerated().map { "\"m\($0)\":\($1)" }.joined(separator: ",") + " }"
  }
}
