import Foundation
import OperationFlowReports
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

private struct Refused: Error, CustomStringConvertible { let description: String }

/// A journal hides what a record hides: in the texts of errors, and of names that the flow's rule redacts.
@Suite(.watched) struct JournalSecretsTests {
  private static let secret = "hunter2-xyz"
  private static let login = FlowKey<String>("login", sensitive: true)

  private static func refused(_ context: FlowContext, _ place: String) throws {
    throw Refused(description: "\(place) refused \(context[login] ?? "none")")
  }

  /// Returns true if a journal in the store contains the secret as plain text.
  private func isShown(in store: MemoryFlowStore) -> Bool {
    store.journals.values.joined().contains { $0.range(of: Data(Self.secret.utf8)) != nil }
  }

  /// Returns a flow whose attempts, items, recoveries, undos and end fail with the secret in their texts.
  private func flow(_ store: MemoryFlowStore, _ copy: Locked<[String: [Data]]>, _ texts: Journal<String>) -> Flow {
    Flow("Secretive").set(Self.login, to: Self.secret)
      .add(
        "tried", .retry(.attempts(2, delay: .zero)),
        .recover { error, _ in
          texts.append("\(error)")
          if copy.withLock({ $0.isEmpty }) { copy.withLock { $0 = store.journals } }
        }
      ) { try Self.refused($0, "attempt \($0.attempt)") }
      .forEach(in: 0..<2, width: 1, tolerating: .failures(2)) { try Self.refused($1, "item \($0)") }
      .add("undone", .undo { try Self.refused($0, "undo") }) { _ in }
      .add("last") { context in
        context[Self.login] = "another one"
        throw FlowError(.missingData, "the last refused \(Self.secret)", remedy: "Ask for another \(Self.secret).")
      }
      .always { $0.add("closing") { try Self.refused($0, "closing") } }
  }

  @Test(arguments: [false, true])
  func `no error in a journal shows a sensitive value, and a sealed one is restored as it was`(
    isSealed: Bool
  ) async throws {
    let (store, copy, texts) = (MemoryFlowStore(), Locked<[String: [Data]]>([:]), Journal<String>())
    let sealing = isSealed ? FlowSealing.masking : nil
    let outcome = await flow(store, copy, texts).run(id: "a", in: store, sealing: sealing)
    #expect(outcome.error.map { "\($0)".contains(Self.secret) } == false && !isShown(in: store))
    #expect(store.journals["a"]?.contains { $0.range(of: Data("<redacted>".utf8)) != nil } == true)
    // A checkpoint preserves what is sealed.
    let folded = MemoryFlowStore(try store.journals.mapValues { try JournalCompaction.folded($0) { _ in true } })
    for store in [store, folded] {
      #expect(!isShown(in: store))
      let again = await flow(store, copy, texts).run(id: "a", in: store, sealing: sealing)
      let shown = isSealed ? Self.secret : "<redacted>"
      // The text of the library's own error is redacted like any other; a user's error is unchanged.
      let error = try #require(again.error as? FlowError)
      #expect(error.problem == "the last refused <redacted>" && error.remedy == "Ask for another <redacted>.")
      #expect(error.code == .missingData && error.flow == "Secretive")
      #expect(again.report.itemFailures.map { "\($0.error)" } == [0, 1].map { "item \($0) refused \(shown)" })
      #expect(again.report.undos.map { $0.error.map { "\($0)" } } == ["undo refused another one"] || !isSealed)
      #expect(!"\(again.report.record)".contains(Self.secret))
    }
  }

  @Test(arguments: [false, true])
  func `a run that is resumed recovers from the error as it was, if it is sealed`(isSealed: Bool) async throws {
    let (store, copy, texts) = (MemoryFlowStore(), Locked<[String: [Data]]>([:]), Journal<String>())
    let sealing = isSealed ? FlowSealing.masking : nil
    _ = await flow(store, copy, texts).run(id: "a", in: store, sealing: sealing)
    let killed = MemoryFlowStore(copy.withLock { $0 })
    #expect(!isShown(in: killed))
    _ = await flow(killed, copy, texts).run(id: "a", in: killed, sealing: sealing)
    let shown = isSealed ? Self.secret : "<redacted>"
    #expect(texts.entries == ["attempt 2 refused \(Self.secret)", "attempt 2 refused \(shown)"])
    #expect(!isShown(in: killed))
  }

  @Test(arguments: [false, true])
  func `a value that its step replaces before it fails is hidden`(isSealed: Bool) async throws {
    let store = MemoryFlowStore()
    let flow = Flow("Replaces").add("a") { context in
      context[Self.login] = Self.secret
      context[Self.login] = nil
      context["accessToken"] = Self.secret + "-token"
      context["accessToken"] = "another"
      throw Refused(description: "refused \(Self.secret) and \(Self.secret)-token")
    }
    let outcome = await flow.run(id: "a", in: store, sealing: isSealed ? .masking : nil)
    #expect(outcome.error is Refused && !isShown(in: store))
  }

  @Test func `a value is hidden also if it came, or was found to be sensitive, after an earlier error`() async throws {
    let store = MemoryFlowStore()
    let flow = Flow("Later").set("login", to: Self.secret).add("a", .retry(.attempts(3, delay: .zero))) { context in
      switch context.attempt {
      case 1: throw Refused(description: "refused")
      case 2:
        context["accessToken"] = Self.secret + "-token"
        throw Refused(description: "refused \(Self.secret)-token")
      default: try Self.refused(context, "last")
      }
    }
    let outcome = await flow.run(id: "a", in: store, omitting: ["login"])
    #expect(outcome.error is Refused && !isShown(in: store))
  }

  @Test func `no branch shows a value that is sensitive because of its key's name`() async throws {
    let (store, password) = (MemoryFlowStore(), FlowKey<String>("password"))
    let flow = Flow("Branches").set(password, to: Self.secret)
      .cases(on: password) {
        $0.when(Self.secret) {
          $0.forEach(in: 0..<1, tolerating: .all, .named("items")) { _, _ in throw Refused(description: "no") }
            .add("fails") { _ in throw Refused(description: "no") }
        }
        $0.when(Self.secret + "2") { $0.add("other") { _ in } }
      }
    for _ in 0..<2 {
      let outcome = await flow.run(id: "a", in: store)
      #expect(outcome.error.map { "\($0)" } == "no" && !isShown(in: store))
      #expect(outcome.report.itemFailures.first?.path?.description.contains("password=<redacted> > 1. items") == true)
    }
  }

  @Test func `an error looks at what was written since the last one, not at all that is there`() {
    let bucket = DataBucket(["a": 1, "b": 2])
    let writes = JournalWrites(names: Set(bucket.values.keys))
    bucket.keepWrites(in: writes)
    bucket.set("c" as FlowKey<Int>, to: 3)
    writes.begin(after: 0)
    #expect(writes.takeNames() == ["a", "b", "c"])
    #expect(writes.takeNames().isEmpty)
    for value in 0..<3 { bucket.set("b" as FlowKey<Int>, to: value) }
    bucket.removeData("a")
    #expect(writes.takeNames() == ["a", "b"])
  }

  // MARK: Names

  @Test(arguments: [
    (FlowKey<String>("accessToken"), FlowRedaction.standard, false),
    (FlowKey("login", sensitive: true), .none, false), (FlowKey("accessToken"), .none, true),
  ])
  func `a value that the flow hides, by its key or its name, is stored only if it can be sealed`(
    key: FlowKey<String>, redaction: FlowRedaction, isStored: Bool
  ) async throws {
    let flow = Flow("Named").redaction(redaction).add("write") { $0[key] = Self.secret }
      .add("read") { $0["length" as FlowKey<Int>] = try $0.require(key).count }
    for sealing in [nil, FlowSealing.masking] {
      let killed = try await flow.cut(settled: 1, sealing: sealing)
      #expect(isShown(in: killed) == isStored)
      let outcome = await flow.run(id: "a", in: killed, sealing: sealing)
      #expect(isShown(in: killed) == isStored && outcome.isSuccess == (isStored || sealing != nil))
      if outcome.isSuccess { #expect(outcome.report["length"] == Self.secret.count) }
      guard let error = outcome.error as? FlowError else { continue }
      #expect(error.code == .missingData && error.key == key.name)
      #expect(error.remedy.contains("give that call a FlowSealing"))
    }
  }

  @Test func `a sensitive value that is left out stays hidden when it is passed to the resume`() async throws {
    let flow = Flow("Omitting").add("write") { $0[Self.login] = Self.secret }
      .add("fail") { _ in throw Refused(description: "refused \(Self.secret)") }
    let killed = try await flow.cut(settled: 1, omitting: ["login"])
    let outcome = await flow.run(id: "a", in: killed, with: ["login": Self.secret], omitting: ["login"])
    #expect(outcome.error is Refused && !isShown(in: killed))
    #expect(!"\(outcome.report.record)".contains(Self.secret) && !outcome.report.summary.contains(Self.secret))
  }

  /// Names the operation of each item after the item.
  private struct Naming: FlowGroupDispatcher {
    let key = FlowKey<[String]>("visitors", sensitive: true)
    let maxConcurrentOperationCount = 1
    let allowFailure = true

    func items(in bucket: DataBucket) throws -> FlowGroupItems {
      FlowGroupItems(try bucket.require(key), name: key.name)
    }

    func operation(
      for item: any Sendable, at index: Int, creator: any FlowOperationCreator.Type
    ) throws -> FlowOperation {
      let operation = creator.create()
      operation.name = item as? String
      return operation
    }

    func collect(_ results: FlowGroupResults) throws -> [String: any Sendable] { [:] }
  }

  private final class Failing: FlowOperation, FlowOperationCreator, @unchecked Sendable {
    static func create() -> FlowOperation { Failing() }
    override func run() async throws { throw Refused(description: "refused") }
  }

  @Test(arguments: [false, true])
  func `no name of an item in a journal shows a sensitive value`(isSealed: Bool) async throws {
    let (store, dispatcher) = (MemoryFlowStore(), Naming())
    let flow = Flow("Named items").set(dispatcher.key, to: [Self.secret, "another visitor"])
      .addGrouped(operationCreator: Failing.self, dispatcher: dispatcher)
    for _ in ["first", "again"] {
      let outcome = await flow.run(id: "a", in: store, sealing: isSealed ? .masking : nil)
      #expect(outcome.report.itemFailures.count == 2 && !isShown(in: store))
      #expect(!outcome.report.summary.contains(Self.secret))
    }
  }

  @Test func `an initial value with a redacted name comes from the flow again, and no error in the journal shows it`()
    async throws
  {
    let store = MemoryFlowStore()
    let flow = Flow("Initial").set("password", to: Self.secret)
      .add("a", .recover { _, _ in }) {
        throw Refused(description: "no \(try $0.require("password" as FlowKey<String>))")
      }
    #expect(await flow.run(id: "a", in: store).isSuccess && !isShown(in: store))
  }

  @Test(arguments: [FlowKey<[String]>("tokens"), FlowKey("outputs", sensitive: true)])
  func `the outputs of a group that are hidden need a sealing`(key: FlowKey<[String]>) async throws {
    let make = { Flow("Outputs").forEach(in: ["a", "b"], into: key, width: 1) { name, _ in name + Self.secret } }
    let store = MemoryFlowStore()
    #expect(await make().run(id: "a", in: store).code == .valueNotStorable)
    try await DurableCheck(make: { _ in make() }, sealing: .masking).check()
    #expect(await make().run(id: "b", in: store, sealing: .masking).isSuccess && !isShown(in: store))
  }
}
