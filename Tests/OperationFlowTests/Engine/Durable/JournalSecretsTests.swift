import Foundation
import TestSupport
import Testing

@testable import OperationFlow

private struct Refused: Error, CustomStringConvertible { let description: String }

/// What a record hides, a journal hides too: in the texts of errors, and of names that the flow's rule redacts.
@Suite(.watched) struct JournalSecretsTests {
  private static let secret = "hunter2-xyz"
  private static let login = FlowKey<String>("login", sensitive: true)
  private static let sealing = FlowSealing(
    seal: { Data($0.map { $0 ^ 0x5A }) }, open: { Data($0.map { $0 ^ 0x5A }) })

  private static func refused(_ context: FlowContext, _ place: String) throws {
    throw Refused(description: "\(place) refused \(context[login] ?? "none")")
  }

  /// Whether anything in a store has the secret as it is.
  private func isShown(in store: MemoryFlowStore) -> Bool {
    store.journals.values.joined().contains { $0.range(of: Data(Self.secret.utf8)) != nil }
  }

  /// Attempts, items, recoveries, undos and the end fail with the secret in their texts.
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
    let sealing = isSealed ? Self.sealing : nil
    let outcome = await flow(store, copy, texts).run(id: "a", in: store, sealing: sealing)
    #expect(outcome.error.map { "\($0)".contains(Self.secret) } == true && !isShown(in: store))
    #expect(store.journals["a"]?.contains { $0.range(of: Data("<redacted>".utf8)) != nil } == true)
    // A checkpoint keeps what is sealed.
    let folded = MemoryFlowStore(try store.journals.mapValues { try JournalFold.folded($0) { _ in true } })
    for store in [store, folded] {
      #expect(!isShown(in: store))
      let again = await flow(store, copy, texts).run(id: "a", in: store, sealing: sealing)
      let shown = isSealed ? Self.secret : "<redacted>"
      let error = try #require(again.error as? FlowError)
      #expect(error.problem == "the last refused \(shown)" && error.remedy == "Ask for another \(shown).")
      #expect(error.code == .missingData && error.flow == "Secretive")
      #expect(again.report.itemFailures.map { "\($0.error)" } == [0, 1].map { "item \($0) refused \(shown)" })
      #expect(again.report.undos.map { $0.error.map { "\($0)" } } == ["undo refused another one"] || !isSealed)
      #expect(!"\(again.report.record)".contains(Self.secret))
    }
  }

  @Test(arguments: [false, true])
  func `a run that is resumed recovers from the error as it was, if it is sealed`(isSealed: Bool) async throws {
    let (store, copy, texts) = (MemoryFlowStore(), Locked<[String: [Data]]>([:]), Journal<String>())
    let sealing = isSealed ? Self.sealing : nil
    _ = await flow(store, copy, texts).run(id: "a", in: store, sealing: sealing)
    let killed = MemoryFlowStore(copy.withLock { $0 })
    #expect(!isShown(in: killed))
    _ = await flow(killed, copy, texts).run(id: "a", in: killed, sealing: sealing)
    let shown = isSealed ? Self.secret : "<redacted>"
    #expect(texts.entries == ["attempt 2 refused \(Self.secret)", "attempt 2 refused \(shown)"])
    #expect(!isShown(in: killed))
  }

  // MARK: Names

  private static let token: FlowKey<String> = "accessToken"

  /// A flow that is killed after a step has written a value, in a copy of the store; returns what the rest reads.
  private func resumed(_ redaction: FlowRedaction, _ sealing: FlowSealing?) async -> (MemoryFlowStore, FlowOutcome) {
    let (store, copy) = (MemoryFlowStore(), Locked<[String: [Data]]>([:]))
    func flow() -> Flow {
      Flow("Named").redaction(redaction)
        .add("write") { $0[Self.token] = Self.secret }
        .add("read") { context in
          if copy.withLock({ $0.isEmpty }) { copy.withLock { $0 = store.journals } }
          context[FlowKey<Int>("length")] = try context.require(Self.token).count
        }
    }
    #expect(await flow().run(id: "a", in: store, sealing: sealing).isSuccess)
    let killed = MemoryFlowStore(copy.withLock { $0 })
    let outcome = await flow().run(id: "a", in: killed, sealing: sealing)
    return (killed, outcome)
  }

  @Test func `a value with a name that the flow redacts is not in the journal, as that of a sensitive key`() async {
    let (store, outcome) = await resumed(.standard, nil)
    #expect(!isShown(in: store))
    let error = outcome.error as? FlowError
    #expect(error?.code == .missingData && error?.key == "accessToken")
    #expect(error?.remedy.contains("give that call a FlowSealing") == true)
  }

  @Test func `a value with a name that the flow redacts is sealed if there is a sealing`() async {
    let (store, outcome) = await resumed(.standard, Self.sealing)
    #expect(!isShown(in: store) && outcome.isSuccess && outcome.report["length"] == Self.secret.count)
  }

  @Test func `a value is stored as it is if its name is not redacted`() async {
    let (store, outcome) = await resumed(.none, nil)
    #expect(isShown(in: store) && outcome.isSuccess && outcome.report["length"] == Self.secret.count)
  }

  @Test func `an initial value with a redacted name comes from the flow again, and no error in the journal shows it`()
    async throws
  {
    let store = MemoryFlowStore()
    let flow = Flow("Initial").set("password", to: Self.secret)
      .add("a", .recover { _, _ in }) { context in
        throw Refused(description: "no \(try context.require(FlowKey<String>("password")))")
      }
    #expect(await flow.run(id: "a", in: store).isSuccess)
    #expect(!isShown(in: store))
  }

  @Test func `the outputs of a group whose key has a redacted name need a sealing`() async {
    let tokens: FlowKey<[String]> = "tokens"
    let flow = Flow("Outputs").forEach(in: ["a", "b"], into: tokens) { name, _ in name + Self.secret }
    let store = MemoryFlowStore()
    #expect((await flow.run(id: "a", in: store).error as? FlowError)?.code == .valueNotStorable)
    #expect(await flow.run(id: "b", in: store, sealing: Self.sealing).isSuccess)
    #expect(!isShown(in: store))
  }
}
