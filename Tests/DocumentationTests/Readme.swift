import Foundation
import OperationFlow

enum Readme {
  static func count(print: Printer) async {
    let outcome = await Flow("Count")
      .set("words", to: ["to", "be", "not"])
      .forEach("words", into: "lengths", width: 2) { (word: String, _) in word.count }
      .add("sum") { context in
        let lengths: [Int] = try context.require("lengths")
        context.log("\(lengths.reduce(0, +)) letters")
      }
      .run()

    print(outcome.report.summary)
  }

  static func operation(print: Printer) async throws {
    let flow = Flow("Count").add(CountWordsOp())
    print(flow.validate())  // [error: 1. CountWordsOp: can't find <text> in data bucket: no step before writes it. …]

    let report = try await flow.run { $0[.text] = "to be or not to be" }.get()
    print(report[.wordCount] ?? 0)  // 6
  }

  static func start(print: Printer) {
    Flow("Count")
      .setDataBucket(dataBucket: ["text": "to be or not to be"])
      .add(operation: CountWordsOp())
      .setDidFinishBlock { flow in print(flow.generateSummary()) }
      .start()
  }
}
