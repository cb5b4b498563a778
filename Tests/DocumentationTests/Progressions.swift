import Foundation
import OperationFlow
import OperationFlowProgressions
import OperationFlowTesting
import TestSupport
import Testing

struct NothingToPublish: Error {}

struct Press: Sendable {
  func publish(_ words: [String]) async throws -> String {
    if words.isEmpty { throw NothingToPublish() }
    return "https://example.org/\(words.count)"
  }
}

let press = Press()

enum Publication: Progression, Codable, Equatable {
  case draft(String)
  case checked(words: [String])
  case published(link: String)

  mutating func advance() async throws {
    switch self {
    case .draft(let text): self = .checked(words: text.split(separator: " ").map(String.init))
    case .checked(let words): self = .published(link: try await press.publish(words))
    case .published: break
    }
  }

  var result: String? { if case .published(let link) = self { link } else { nil } }
}

struct Countdown: Progression {
  var number: Int

  mutating func updateOrDeferNext() throws -> Deferred<Countdown>? {
    number -= 1
    return nil
  }

  var result: String? { number == 0 ? "lift-off" : nil }
}

enum Loading: Progression {
  case load(String)
  case done(String)

  func next() -> Deferred<Loading> {
    guard case .load(let name) = self else { return Deferred { self } }
    return .future { resolve in
      library.load(name) { text, error in
        resolve {
          if let error { throw error }
          return .done(text ?? "")
        }
      }
    }
  }

  var result: String? { if case .done(let text) = self { text } else { nil } }
}

enum Announcement: Progression {
  case publishing(Publication)
  case counting(Countdown, link: String)
  case done(String)

  func next() -> Deferred<Announcement> {
    switch self {
    case .publishing(let publication):
      compose(publication, mapNext: { .publishing($0) }, mapResult: { .counting(Countdown(number: 3), link: $0) })
    case .counting(let countdown, let link):
      compose(countdown, mapNext: { .counting($0, link: link) }, mapResult: { .done("\($0): \(link)") })
    case .done: Deferred { self }
    }
  }

  var result: String? { if case .done(let text) = self { text } else { nil } }
}

extension FlowKey where Value == Publication {
  static var draft: Self { "draft" }
}
extension FlowKey where Value == [Publication] {
  static var drafts: Self { "drafts" }
}
extension FlowKey where Value == String {
  static var link: Self { "link" }
}
extension FlowKey where Value == [String] {
  static var allLinks: Self { "allLinks" }
}

enum ProgressionsArticle {
  static func running(print: Printer) async throws {
    let link = try await Publication.draft("to be or not to be").run()
    let same = try await Publication.run(from: .checked(words: ["to", "be"]))
    for try await step in Publication.draft("to be").steps { print("reached \(step.stepName)") }
    _ = (link, same)
  }

  static func inFlow() -> Flow {
    Flow("Publish")
      .set(.draft, to: .draft("to be or not to be"))
      .progress("publish", from: .draft, into: .link)
      .add("tell") { context in context.log("published at \(try context.require(.link))") }
  }

  static func operation() -> Flow {
    Flow("Publish")
      .set(.draft, to: .draft("to be or not to be"))
      .add(ProgressionOperation(from: .draft, into: .link))
  }

  static func fromClosure() -> Flow {
    Flow("Publish")
      .set(.text, to: "to be")
      .progress("publish", into: .link) { step in Publication.draft(try step.require(.text)) }
  }

  static func withTraits() -> Flow {
    Flow("Publish")
      .set(.text, to: "to be")
      .progress("publish", into: .link, .weight(5), .reads(.text)) { step in
        Publication.draft(try step.require(.text))
      }
  }

  static func many() -> Flow {
    Flow("Publish all")
      .set(.drafts, to: [.draft("to be"), .draft("or not"), .draft("to be")])
      .forEach(.drafts, into: .allLinks, width: 2, tolerating: .failures(1))
  }

  static func stored(in directory: URL) -> Flow {
    let store = FileProgressionStore(directory: directory)
    let flow = Flow("Publish")
      .set(.draft, to: .draft("to be or not to be"))
      .progress("publish", from: .draft, into: .link, store: store, as: "publication-42")
    return flow
  }

  static func drawing(print: Printer) async throws {
    var diagram = ProgressionDiagram()
    let link = try await Publication.draft("to be").run(drawing: &diagram)
    print(diagram.mermaid)
    _ = link
  }

  static func drawingFlow(_ flow: Flow, print: Printer) async throws {
    let report = await flow.run().report
    if let diagram = report.diagram(of: "publish") { print(diagram.mermaid) }
  }

  static func collecting(print: Printer) async throws {
    var diagram = ProgressionDiagram()
    do {
      for try await step in Publication.draft("").steps { diagram.reach(step) }
    } catch {
      diagram.end(throwing: error)
    }
    print(diagram.mermaid)
  }
}

enum StepComments {
  typealias Greeting = ProgressionComments.Greeting

  static func diagram(print: Printer) async throws {
    var diagram = ProgressionDiagram()
    let text = try await Greeting.name("Al").run(drawing: &diagram)
    print(diagram.mermaid)
    _ = text
  }

  static func steps() async throws -> (Greeting, String) {
    let next = try await Greeting.name("Al").takingStep()
    let text = try await Greeting.name("Al").expectStep { if case .greeting(let text) = $0 { text } else { nil } }
    return (next, text)
  }

  struct DefaultsStore: ProgressionStore {
    func save(_ step: Data, under key: String) { UserDefaults.standard.set(step, forKey: key) }
    func load(_ key: String) -> Data? { UserDefaults.standard.data(forKey: key) }
    func clear(_ key: String) { UserDefaults.standard.removeObject(forKey: key) }
  }
}

@Suite(.watched) struct ProgressionArticleTests {
  @Test func `a draft is split into words`() async throws {
    let next = try await Publication.draft("to be").takingStep()
    #expect(next == .checked(words: ["to", "be"]))
  }

  @Test func `what was checked is published`() async throws {
    try await Publication.checked(words: ["to", "be"]).expectStep(to: .published(link: "https://example.org/2"))
    try await Loading.load("text").expectStep(named: "done")
    let text = try await Loading.load("text").expectStep { if case .done(let text) = $0 { text } else { nil } }
    #expect(text == "a text")
  }

  @Test func `nothing is not published`() async throws {
    try await Publication.checked(words: []).expectFailure(NothingToPublish.self)
  }

  // MARK: What else the article says

  @Test func `progressions run as the article says`() async throws {
    let print = Printer()
    try await ProgressionsArticle.running(print: print)
    #expect(print.texts == ["reached draft", "reached checked", "reached published"])
    #expect(try await Announcement.publishing(.draft("to be")).run() == "lift-off: https://example.org/2")
    #expect(try await Loading.load("text").run() == "a text")
    await #expect(throws: MissingText.self) { try await Loading.load("lost").run() }
  }

  @Test func `flows run them as the article says`() async throws {
    let report = try await ProgressionsArticle.inFlow().run().get()
    #expect(
      report.summary.withoutTimes.contains(
        """
        [publish] WillStart
        [publish] step: draft
        [publish] step: checked
        [publish] step: published
        [DataBucket] add for link: https://example.org/6
        [publish] DidFinish: successfully
        """))
    #expect(try await ProgressionsArticle.operation().run().get()[.link] == "https://example.org/6")
    #expect(try await ProgressionsArticle.fromClosure().run().get()[.link] == "https://example.org/2")
    #expect(try await ProgressionsArticle.withTraits().run().get()[.link] == "https://example.org/2")
    #expect(try await ProgressionsArticle.many().run().get()[.allLinks]?.count == 3)
    #expect(Flow().progress("publish", from: .draft).validate().map(\.code) == [.missingData])
  }

  @Test func `a stored progression goes on from its step`() async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("publications-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let step = try JSONEncoder().encode(Publication.checked(words: ["one"]))
    try await FileProgressionStore(directory: directory).save(step, under: "publication-42")
    let report = try await ProgressionsArticle.stored(in: directory).run().get()
    #expect(report[.link] == "https://example.org/1")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
  }

  @Test func `diagrams are drawn as the article says`() async throws {
    let drawn = """
      stateDiagram-v2
        state "draft" as s0
        state "checked" as s1
        state "published" as s2
        [*] --> s0
        s0 --> s1
        s1 --> s2
        s2 --> [*]
      """
    let print = Printer()
    try await ProgressionsArticle.drawing(print: print)
    try await ProgressionsArticle.drawingFlow(ProgressionsArticle.inFlow(), print: print)
    #expect(print.texts == [drawn, drawn])
    let other = Printer()
    try await ProgressionsArticle.collecting(print: other)
    #expect(other.texts.first?.hasSuffix("s1 --> failed\n  failed --> [*]") == true)
    try await StepComments.diagram(print: other)
    #expect(other.texts.count == 2)
    #expect(try await StepComments.steps().1 == "hello Al")
    let store = StepComments.DefaultsStore()
    let key = "operation-flow-\(UUID().uuidString)"
    store.save(Data([1]), under: key)
    #expect(store.load(key) == Data([1]))
    store.clear(key)
    #expect(store.load(key) == nil)
  }
}
