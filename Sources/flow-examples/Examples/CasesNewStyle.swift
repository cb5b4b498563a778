import OperationFlow

extension FlowKey where Value == String {
  static var target: Self { "target" }
  static var size: Self { "size" }
}

extension Example {
  /// Branches show by their indentation what belongs to them, and join after the cases.
  private static let publishing = Flow("Publish")
    .set(.size, to: "small")
    .add("load") { context in context.log("the picture is loaded") }
    .cases(on: .target) {
      $0.when("web") {
        $0.cases(on: .size) {
          $0.when("small") { $0.add("shrink") { context in context.log("it is shrunk") } }
          $0.otherwise { $0.add("keep") { context in context.log("it keeps its size") } }
        }
        $0.add("publish") { context in context.log("it is on the web") }
      }
      $0.when("print") { $0.add("print") { context in context.log("it is on paper") } }
      // Without a branch for no match, the flow would end here, as a success.
      $0.otherwise { $0.add("archive") { context in context.log("it is in the archive") } }
    }
    .add("notify") { context in context.log("all is done for \(try context.require(.target))") }

  static let casesNewNested = Example(name: "cases, new style: nested") { output in
    let outcome = await publishing.run(with: ["target": "web"])
    output.show(outcome)
    let lines = ["the picture is loaded", "it is shrunk", "it is on the web", "all is done for web"]
    try expect(outcome.isSuccess && outcome.report.loggedLines == lines, "the branch in the branch is taken")
  }

  static let casesNewOtherwise = Example(name: "cases, new style: otherwise") { output in
    let outcome = await publishing.run(with: ["target": "film"])
    output.show(outcome)
    let lines = ["the picture is loaded", "it is in the archive", "all is done for film"]
    try expect(outcome.isSuccess && outcome.report.loggedLines == lines, "the branch for no match is taken")
  }
}
