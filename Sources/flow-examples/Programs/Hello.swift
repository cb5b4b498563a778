import OperationFlow

// A key is a name with the type of its value.
extension FlowKey where Value == String {
  fileprivate static var visitor: Self { "visitor" }
  fileprivate static var greeting: Self { "greeting" }
}

/// A step may be a class, whose inputs and outputs are properties.
private final class GreetOp: FlowOperation, @unchecked Sendable {
  @FlowInput(.visitor) var visitor
  @FlowOutput(.greeting) var greeting

  override func run() async throws {
    greeting = "Hello, \(visitor)"
    log(message: "greeted \(visitor)")
  }
}

/// Runs two steps, one after the other, and prints the outcome: the data, and a summary with each event.
enum Hello {
  static func main() async throws {
    let welcome = Flow("Welcome")
      .add(GreetOp())
      // Or it is a closure, which declares the keys that it reads and writes.
      .add("count", .reads(.greeting)) { context in
        context.log("\(try context.require(.greeting).count) letters")
      }

    // A flow may run many times, also at the same time, each time with data of its own.
    let outcome = await welcome.run { $0[.visitor] = "Ann" }

    switch outcome {
    case .succeeded(let report): print(report[.greeting] ?? "")
    case .failed(let error, _): print("It failed: \(error)")
    case .cancelled: print("It was cancelled.")
    }
    print(outcome.report.summary, terminator: "")
  }
}
