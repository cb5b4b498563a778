import OperationFlow

extension FlowKey where Value == Double {
  fileprivate static var guess: Self { "guess" }
  fileprivate static var change: Self { "change" }
}

enum Loop {
  static func main() async throws {
    let improve = Flow("Improve")
      .add("step", .reads(.guess), .writes(.guess, .change)) { context in
        let old = try context.require(.guess)
        context[.guess] = (old + 2 / old) / 2
        context[.change] = try abs(context.require(.guess) - old)
      }
    let solve = Flow("Solve")
      .add("improve", .writes(.guess)) { context in
        var (guess, change) = (1.0, 1.0)
        while change > 1e-9 {
          let start = guess
          let report = try await improve.run { $0[.guess] = start }.get()
          (guess, change) = (report[.guess] ?? guess, report[.change] ?? 0)
        }
        context[.guess] = guess
      }
    print(try await solve.run().get()[.guess] ?? 0)  // 1.414213562373095
  }
}
