import OperationFlow
import TestSupport
import Testing

/// Branches that are never chosen, cases that end the flow early, and a `combine()` that is missing or superfluous.
@Suite(.watched) struct UnreachableCaseRuleTests {
  private func target(_ value: String) -> FlowCase { FlowCase(key: "target", value: value) }
  private func toA() -> Flow { Flow().set("target", to: "A") }
  private func op() -> BlockOp { BlockOp() }

  // MARK: Unreachable

  @Test func `the second of two branches with the same condition is a warning`() {
    let flow = toA().add(operation: op(), flowCase: target("A")).add(operation: op(), flowCase: target("B"))
      .add(operation: op(), flowCase: target("A")).combine()
    check("a value", flow, "warning unreachableCase at 1. Cases > target=A: target")
    #expect(flow.validate().first?.problem == "A branch before it has the same condition, and is taken instead.")
    let otherwise = toA().cases(on: "target") {
      $0.otherwise { $0.add(SuccessOp()) }
      $0.otherwise { $0.add(SuccessOp()) }
    }
    check("otherwise", otherwise, "warning unreachableCase at 1. Cases > otherwise")
  }

  @Test func `a key that nothing writes is a warning, once a branch`() {
    let flow = Flow().add(WriteOp("other")).cases(on: "target") {
      $0.when("A") { $0.add(SuccessOp()) }
      $0.when("B") { $0.add(SuccessOp()) }
      $0.otherwise { $0.add(SuccessOp()) }
    }
    check(
      "nothing writes it", flow, "warning unreachableCase at 2. Cases > target=A: target",
      "warning unreachableCase at 2. Cases > target=B: target")
    #expect(flow.validate().first?.problem.contains("nothing writes <target>") == true)
    let cases = { (flow: Flow) in flow.cases(on: "target") { $0.when("A") { $0.add(SuccessOp()) } } }
    check("at first", cases(Flow().set("target", to: "B")))
    check("a step writes it", cases(Flow().add(WriteTextOp("target"))))
    check("a step may write it", cases(Flow().add(SecretWriteOp("target"))))
    check("a block may set it", cases(Flow().setWillStartBlock { _ in }))
    let branch = toA().cases(on: "target") {
      $0.when("A") { $0.add(WriteTextOp("next")) }
      $0.otherwise { $0.add(WriteOp("a")) }
    }
    check("a branch writes it", branch.cases(on: "next") { $0.when("text") { $0.add(SuccessOp()) } })
  }

  @Test func `a key that never holds a value of a branch's type is a warning`() async {
    let isPremium = FlowKey<Bool>("isPremium")
    let both = { (flow: Flow) in
      flow.cases(on: isPremium) {
        $0.when(true) { $0.step() }
        $0.when(false) { $0.step() }
      }.step()
    }
    let places = ["isPremium=true", "isPremium=false"]
    let text = Flow().set("isPremium", to: "yes")
    let expected = places.map { "warning unreachableCase at 1. Cases > \($0): isPremium" }
    #expect(both(text).findings == expected + ["warning incompleteCases at 1. Cases: isPremium"])
    #expect(
      text.validate().first?.problem
        == "It is taken for one value of <isPremium> of type <Bool>, but the data bucket holds a <String> at first.")
    #expect(await text.run().report.earlyEnds.count == 1)
    let written = both(Flow().add(WriteTextOp("isPremium")))
    #expect(written.validate().first?.problem.hasSuffix("but 1. WriteTextOp writes a <String>.") == true)
    check("the right type", both(Flow().set(isPremium, to: true)))
    check("a step may have written another", both(Flow().set("isPremium", to: "yes").add("any") { _ in }))
    let sometimes = toA().set(isPremium, to: true).cases(on: "target") {
      $0.when("A") { $0.add(WriteTextOp("isPremium")) }
      $0.otherwise { $0.addNothing() }
    }
    #expect(!both(sometimes).findings.contains { $0.contains("unreachableCase") })
  }

  @Test func `a branch that can't be taken is no fault of the flow, whatever it lacks`() async {
    let twice = toA().add(operation: WriteOp("a"), flowCase: target("A")).add(
      operation: CopyOp("missing"), flowCase: target("A")
    )
    .combine().add(CopyOp("a"))
    let nested = toA().cases(on: "target") {
      $0.when("A") { branch in
        branch.cases(on: "target") {
          $0.when("B") { $0.add(CopyOp("missing")) }
          $0.otherwise { $0.add(WriteOp("a")) }
        }.add(CopyOp("a"))
      }
    }
    let unwritten = Flow().add(WriteOp("a")).cases(on: "target") { $0.when("A") { $0.add(CopyOp("missing")) } }
    for flow in [twice, nested, unwritten] {
      #expect(flow.faults == [])
      #expect(await flow.run().isSuccess)
    }
    #expect(await unwritten.run(with: ["target": "A"]).code == .missingData)
  }

  @Test func `what a branch may have written is not missed in a later one, also if the key has changed in between`() {
    let flow = toA()
      .cases(on: "target") {
        $0.when("A") { $0.add(WriteOp("a")) }
        $0.otherwise { $0.add(WriteOp("b")) }
      }
      .add(WriteTextOp("target", "A"))
      .cases(on: "target") {
        $0.when("A") { $0.add(CopyOp("a")) }
        $0.otherwise { $0.add(WriteOp("c")) }
      }
    #expect(flow.findings == [])
  }

  // MARK: Early ends

  /// Expects these warnings about incomplete cases, each with a path and a text, if no case matches the flow's target.
  private func expect(
    _ flow: Flow, _ warnings: (path: String, text: String)..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    flow.setData(name: "target", value: "other")
    let found = flow.validate().filter { $0.code == .incompleteCases }.map {
      "\($0.severity) \($0.path): \($0.problem)"
    }
    #expect(found == warnings.map { "warning \($0.path): \($0.text)" }, sourceLocation: sourceLocation)
  }

  private func ending(_ steps: String) -> String {
    "If no case matches, the flow ends here as a success, and \(steps) won't run."
  }

  @Test func `cases without an otherwise, and steps behind them, are a warning and no more`() async {
    let flow = Flow().add(operation: op(), flowCase: target("A")).add(operation: op(), flowCase: target("B")).combine()
      .add(op()).add(op())
    expect(flow, ("1. Cases", ending("2 later steps")))
    #expect(await flow.run().isSuccess)
    let behindBranch = Flow().set("other", to: "x").cases(on: "other") {
      $0.when("x") { $0.cases(on: "target") { $0.when("A") { $0.add("a") { _ in } } } }
      $0.otherwise { $0.addNothing() }
    }.add("behind") { _ in }
    expect(behindBranch, ("1. Cases > other=x > 1. Cases", ending("1 later step")))
    let inner = Flow("inner").cases(on: "target") { $0.when("A") { $0.add("a") { _ in } } }
    expect(Flow().add(flow: inner).add("behind") { _ in })
    expect(Flow().add(flow: inner.add("own") { _ in }), ("1. inner > 1. Cases", ending("1 later step")))
  }

  @Test func `a forgotten combine() leaves steps to the last branch`() {
    let forgotten = Flow().add(operation: op(), flowCase: target("A")).add(operation: op(), flowCase: target("B")).add(
      op()
    ).add(op())
    let text = "The cases aren't combined: 2 later steps won't run unless the last branch is taken."
    expect(forgotten, ("1. Cases", text))
    expect(
      Flow().add(operation: op(), flowCase: target("A")).add(op()),
      ("1. Cases", text.replacing("2 later steps", with: "1 later step")))
    expect(
      Flow().add(operation: op(), flowCase: target("A")).add(op()).add(operation: op(), flowCase: target("B")).add(op())
    )
  }

  @Test func `a value that is certain to take another branch than the last hides no forgotten combine()`() async {
    func flow(_ target: String) -> Flow {
      Flow().set("target", to: target).add(operation: op(), flowCase: self.target("A"))
        .add(operation: op(), flowCase: self.target("B")).add(op()).add(op())
    }
    #expect(flow("A").findings == ["warning incompleteCases at 1. Cases: target"])
    #expect(await flow("A").run().report.stepCount == 2)
    #expect(flow("B").findings == [])
    expect(
      Flow().add(operation: op(), flowCase: target("A")).add(operation: op(), flowCase: .otherwise).add(op()),
      ("1. Cases", "The cases aren't combined: 1 later step won't run unless the last branch is taken."))
    expect(
      Flow().add(operation: op(), flowCase: target("A")).add(operation: op(), flowCase: .otherwise).add(op()).combine())
  }

  @Test func `nothing is said where nothing can be skipped`() {
    expect(Flow().add(operation: op(), flowCase: target("A")).combine())
    expect(
      Flow().add(operation: op(), flowCase: target("A")).add(operation: op(), flowCase: .otherwise).combine().add(op()))
    check("certain", toA().add(operation: op(), flowCase: target("A")).combine().add(op()))
    // A step before may change the target.
    let open = toA().add("any") { _ in }.add(operation: op(), flowCase: target("A")).combine().add(op())
    expect(open, ("2. Cases", ending("1 later step")))
  }

  @Test func `cases without branches say so`() throws {
    let flow = toA().cases(on: "target") { _ in }.add("behind") { _ in }
    let problem = try #require(flow.validate().first)
    #expect(flow.findings == ["warning incompleteCases at 1. Cases"])
    #expect(problem.problem == "It has no branches, so the flow ends here as a success, and 1 later step won't run.")
    #expect(problem.remedy == "Add one in its closure, as in $0.when(\"web\") { … }, or remove the step.")
  }

  private enum Plan: String, CaseIterable, Sendable { case free, team, large }

  @Test func `a value that an enum has and no branch is for is named`() throws {
    let key = FlowKey<Plan>("plan")
    let flow = Flow().add("choose", .writes(key)) { $0[key] = .free }
      .cases(on: key) { cases in for plan in [Plan.free, .large] { cases.when(plan) { $0.add("a") { _ in } } } }
      .add("behind") { _ in }
    let problem = try #require(flow.validate().first { $0.code == .incompleteCases })
    #expect(problem.problem == ending("1 later step").replacing("matches,", with: "matches, as for .team,"))
    #expect(problem.remedy == "Add a branch for .team, or an otherwise branch, such as otherwise { $0.addNothing() }.")
  }

  // MARK: Combine

  @Test func `combine without cases is a warning that says where`() async {
    let start = Flow().combine().add(SuccessOp())
    check("at the start", start, "warning misplacedCombine at the start")
    #expect(start.validate().first?.remedy.contains("flowCase") == true)
    #expect(await start.run().isSuccess)
    check(
      "between steps", Flow().add(SuccessOp()).add(SuccessOp()).combine().add(SuccessOp()),
      "warning misplacedCombine at behind step 2")
    let inner = Flow("inner").add(SuccessOp()).combine()
    check("in a flow", Flow().add(flow: inner), "warning misplacedCombine at 1. inner > behind step 1")
    check(
      "in a branch", toA().cases(on: "target") { $0.when("A") { $0.combine().add(SuccessOp()) } },
      "warning misplacedCombine at 1. Cases > target=A > the start")
    let cases = toA().add(operation: SuccessOp(), flowCase: target("A")).combine()
    check("behind cases", cases)
    check("twice", cases.combine(), "warning misplacedCombine at behind step 1")
    let structured = toA().cases(on: "target") { $0.when("A") { $0.add(SuccessOp()) } }
    check("structured cases need none", structured)
    check("structured cases", structured.combine(), "warning misplacedCombine at behind step 1")
    let own = Flow("inner").add(operation: SuccessOp(), flowCase: target("A")).combine()
    check(
      "an inner flow's doesn't close the outer one's cases",
      toA().add(operation: SuccessOp(), flowCase: target("A")).add(flow: own).combine().add(SuccessOp()))
  }

  @Test func `a combine too many is found in a flow that is too large to be copied at once`() {
    let many = Flow("many")
    for number in 0..<300 { many.add(WriteOp("\(number)")) }
    many.combine()
    #expect(Flow().add(flow: many).findings.contains { $0.hasPrefix("warning misplacedCombine at ") })
  }

  @Test func `a step that reads what another branch writes says that combine is missing`() async {
    let open = "warning incompleteCases at 1. Cases: target"
    let missing = "error misplacedCombine at 1. Cases > target=B > 2. CopyOp: a"
    let flow = toA().add(operation: WriteOp("a"), flowCase: target("A")).add(
      operation: WriteOp("b"), flowCase: target("B")
    ).add(CopyOp("a"))
    check("another branch's", flow, open, missing)
    #expect(flow.validate().allSatisfy { $0.remedy.contains("combine()") })
    #expect(await flow.run().code == .misplacedCombine)
    check(
      "with a condition that only a run can check",
      toA().add(operation: WriteOp("a"), .when { _ in true }, flowCase: target("A"))
        .add(operation: WriteOp("b"), flowCase: target("B")).add(CopyOp("a")), open, missing)
    let before = toA().set("other", to: "X")
      .add(operation: WriteOp("a"), flowCase: target("A")).add(operation: WriteOp("b"), flowCase: target("B")).combine()
      .add(operation: WriteOp("c"), flowCase: FlowCase(key: "other", value: "X"))
      .add(operation: CopyOp("a"), flowCase: FlowCase(key: "other", value: "Y"))
    check("written before the cases", before, "warning missingData at 2. Cases > other=Y > 1. CopyOp: a")
    check(
      "its own branch's",
      toA().add(operation: WriteOp("a"), flowCase: target("A")).add(operation: WriteOp("b"), flowCase: target("B")).add(
        CopyOp("b")), open)
  }
}
