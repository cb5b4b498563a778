import OperationFlow
import OperationFlowProgressions
import TestSupport
import Testing

/// The code of the documentation comments of progressions.
enum ProgressionComments {
  enum Greeting: Progression {
    case name(String)
    case greeting(String)
    case done(String)

    mutating func advance() async throws {
      switch self {
      case .name(let name): self = .greeting("hello " + name)
      case .greeting(let text): self = .done(text + "!")
      case .done: break
      }
    }

    var result: String? { if case .done(let text) = self { text } else { nil } }
  }

  static func steps(print: Printer) async throws {
    for try await step in Greeting.name("Al").steps {
      print(step)
    }
  }
}

@Suite(.watched) struct ProgressionCommentTests {
  @Test func `a greeting is reached in three steps`() async throws {
    let print = Printer()
    try await ProgressionComments.steps(print: print)
    #expect(print.texts.count == 3)
    #expect(try await ProgressionComments.Greeting.name("Al").run() == "hello Al!")
  }
}
