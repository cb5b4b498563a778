import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

extension FlowKey where Value == Int {
  fileprivate static var link: Self { "link" }
}

/// The findings of validation about steps that may be skipped.
@Suite(.watched) struct ConditionValidationTests {
  private func writer(_ trait: StepTrait<FlowStep.Repeatable> = .weight(1)) -> Flow {
    Flow().set(.isPremium, to: true).set(.count, to: 1)
      .add("write", .writes(.link), trait) { $0[.link] = 1 }
  }

  private func reads(_ flow: Flow, _ trait: StepTrait<FlowStep.Repeatable> = .weight(1)) -> [String] {
    flow.add("read", .reads(.link), .writesNothing, trait) { _ in }.findings
  }

  private let doubt = ["warning missingData at 2. read: link"]

  @Test func `what only a step writes that may be skipped is a warning behind it`() async {
    #expect(reads(writer()) == [])
    #expect(reads(writer(.when { _ in true })) == doubt)
    #expect(reads(writer(.when(.isPremium))) == doubt)
    #expect(reads(writer(.when(.count) { $0 > 3 })) == doubt)
    // The flow runs, and fails only if the value is missing then.
    let flow = writer(.when(.isPremium)).add("read", .reads(.link), .writesNothing) { _ = try $0.require(.link) }
    #expect(await flow.run().isSuccess)
    #expect(await flow.run(with: ["isPremium": false]).code == .missingData)
  }

  @Test func `what was written under a condition may be there where the same key is compared`() {
    #expect(reads(writer(.when(.isPremium)), .when(.isPremium)) == [])
    #expect(reads(writer(.when(.isPremium)), .when(.isPremium, is: false)) == [])
    #expect(reads(writer(.when(.count, is: 1)), .when(.count, is: 1)) == [])
    #expect(reads(writer(.when(.count, is: 1)), .when(.count, is: 2)) == [])
    // The decision of a closure can't be known, so validation reports no problem of its step.
    #expect(reads(writer(.when { _ in true }), .when { _ in true }) == [])
    #expect(reads(writer(.when(.count) { $0 > 3 }), .when(.count) { $0 > 3 }) == [])
  }

  @Test func `what two steps may write is not missed behind them, whatever their conditions are`() {
    let maybe = writer(.when { _ in true })
    // The closure may check the value itself, or decide the opposite of the one before.
    let again = maybe.add("again", .writes(.link), .when { $0[.link] == nil }) { $0[.link] = 2 }
    #expect(again.add("read", .reads(.link), .writesNothing) { _ in }.findings == [])
    let open = Flow().add("any", .when { _ in true }) { _ in }
      .add("write", .writes(.link), .when { $0[.link] == nil }) { $0[.link] = 1 }
    #expect(open.add("read", .reads(.link), .writesNothing) { _ in }.findings == [])
    // This also applies to steps within the step.
    let inner = Flow("inner").add("write", .writes(.link)) { $0[.link] = 1 }
    let nested = writer(.when { _ in true }).add(flow: inner, .when { $0[.link] == nil })
    #expect(nested.add("read", .reads(.link), .writesNothing) { _ in }.findings == [])
    // A step that doesn't write the key changes nothing.
    let other = writer(.when { _ in true }).add("other", .writes("other" as FlowKey<Int>), .when { _ in true }) { _ in }
    #expect(
      other.add("read", .reads(.link), .writesNothing) { _ in }.findings == ["warning missingData at 3. read: link"])
    let compared = writer(.when { _ in true }).add("again", .writes(.link), .when(.isPremium)) { $0[.link] = 2 }
    #expect(compared.add("read", .reads(.link), .writesNothing) { _ in }.findings == [])
    let both = writer(.when { _ in true })
      .add("again", .writes(.link), .when(.isPremium), .when { $0[.link] == nil }) { $0[.link] = 2 }
    #expect(both.add("read", .reads(.link), .writesNothing) { _ in }.findings == [])
  }

  @Test func `a condition on a name that nothing writes is never met, also after a condition that a closure decides`() {
    let (late, text) = (FlowKey<String>("late"), FlowKey<String>("link"))
    func flow(_ trait: StepTrait<FlowStep.Repeatable>) -> Flow {
      Flow().set(text, to: "text").set(.count, to: 1).add("any", .writes(.count), trait) { $0[.count] = 1 }
        .add("dead", .when(late, is: "A"), .reads(.link), .writesNothing) { _ in }
    }
    let unmet = ["warning unmetCondition at 2. dead: late"]
    #expect(flow(.when { _ in true }).findings == unmet)
    #expect(flow(.when(.count) { $0 > 3 }).findings == unmet)
    #expect(flow(.when { _ in true }).set(late, to: "A").findings == ["error mismatchedData at 2. dead: link"])
    // Within the step, and after a step that may write anything, the condition may be true.
    let inner = Flow("inner").add("dead", .when(late, is: "A"), .writesNothing) { _ in }
    #expect(Flow().add(flow: inner, .when { _ in true }).findings == [])
    let open = Flow().set(text, to: "text").add("any", .when { _ in true }) { $0[late] = "A" }
      .add("write", .writes(text)) { $0[text] = "text" }
      .add("dead", .when(late, is: "A"), .reads(.link), .writesNothing) { _ in }
    // If nothing writes the name, the step never runs, so validation reports nothing about it.
    #expect(open.findings == [])
  }

  @Test func `cases and conditions on one key belong together`() {
    let flow = Flow().set(.isPremium, to: true).cases(on: .isPremium) {
      $0.when(true) { $0.add("write", .writes(.link)) { $0[.link] = 1 } }
      $0.when(false) { $0.addNothing() }
    }
    #expect(reads(flow, .when(.isPremium)) == [])
  }

  @Test func `conditions on all values that a type has leave no other way`() async {
    let both = { (flow: Flow) in
      flow.add("write", .writes(.link), .when(.isPremium)) { $0[.link] = 1 }
        .add("or", .writes(.link), .when(.isPremium, is: false)) { $0[.link] = 2 }
        .add("read", .reads(.link), .writesNothing) { _ in }
    }
    for isPremium in [true, false] {
      let flow = both(Flow().set(.isPremium, to: isPremium))
      #expect(flow.findings == [])
      #expect(await flow.run().isSuccess)
    }
    #expect(both(Flow().add("ask", .writes(.isPremium)) { $0[.isPremium] = true }).findings == [])
    // A value that is missing, or of another type, is neither true nor false, so that nothing is written.
    let lacking = ["error missingData at 3. read: link"]
    #expect(both(Flow()).findings.suffix(1) == lacking)
    #expect(await both(Flow()).run().code == .missingData)
    let late = Flow().add("ask", .writes(.isPremium), .when { _ in true }) { $0[.isPremium] = true }
    #expect(both(late).findings == [])
    let other = FlowKey<String>("isPremium")
    #expect(both(Flow().set(other, to: "yes")).findings.suffix(1) == lacking)

    let cases = Flow().set(.isPremium, to: true)
      .add("write", .writes(.link), .when(.isPremium)) { $0[.link] = 1 }
      .cases(on: .isPremium) {
        $0.when(false) { $0.addNothing() }
        $0.otherwise { $0.add("read", .reads(.link), .writesNothing) { _ in } }
      }
    #expect(cases.findings == [])
    #expect(await cases.run().isSuccess)
  }

  private enum Size: CaseIterable { case small, medium, large }

  @Test func `a type that lists its cases has no other values`() {
    let size = FlowKey<Size>("size")
    let writes = { (sizes: [Size]) -> Flow in
      sizes.reduce(Flow().set(size, to: .small)) { flow, one in
        flow.add("write \(one)", .writes(.link), .when(size, is: one)) { $0[.link] = 1 }
      }
    }
    #expect(reads(writes([.small, .large, .medium])) == [])
    #expect(reads(writes([.small, .large])) == [])
  }

  @Test func `steps with the same conditions both run, in whatever order these are`() async {
    let writes = { () -> Flow in
      Flow().set(.isPremium, to: true).set(.count, to: 1)
        .add("write", .writes(.link), .when(.isPremium), .when(.count, is: 1)) { $0[.link] = 1 }
    }
    let both = writes().add("read", .reads(.link), .writesNothing, .when(.count, is: 1), .when(.isPremium)) { _ in }
    #expect(both.findings == [])
    #expect(await both.run(with: ["count": 2]).isSuccess)
    #expect(reads(writes(), .when(.isPremium)) == [])
    let closure = { (flow: Flow) in
      flow.add("write", .writes(.link), .when(.isPremium), .when { _ in false }) { $0[.link] = 1 }
    }
    #expect(reads(closure(Flow().set(.isPremium, to: true)), .when(.isPremium)) == [])
  }

  @Test func `a condition on what only a skipped step writes is not met`() async {
    let token = FlowKey<String>("token")
    let writes = { () -> Flow in
      Flow().set(.isPremium, to: false).add("write", .writes(.link, token), .when(.isPremium)) {
        ($0[.link], $0[token]) = (1, "x")
      }
    }
    for trait in [StepTrait<FlowStep.Repeatable>.when(token, is: "x"), .when(token) { !$0.isEmpty }] {
      #expect(reads(writes(), trait) == [])
      let flow = writes().add("read", .reads(.link), .writesNothing, trait) { _ in }
      #expect(await flow.run().isSuccess)
    }
    // A value that is written later reveals nothing about an earlier one.
    let again = writes().add("again", .writes(token)) { $0[token] = "x" }
    let behind = again.add("read", .reads(.link), .writesNothing, .when(token, is: "x")) { _ = try $0.require(.link) }
    #expect(behind.findings == ["warning missingData at 3. read: link"])
    #expect(await behind.run().code == .missingData)
  }

  @Test func `branches that run at once change nothing about the cases before them`() async {
    let chosen = { () -> Flow in
      Flow().set(.isPremium, to: true).cases(on: .isPremium) {
        $0.when(true) { $0.add("write", .writes(.link)) { $0[.link] = 1 } }
        $0.otherwise { $0.addNothing() }
      }
    }
    let parallel = { (flow: Flow, written: FlowKey<Bool>) in
      flow.parallel {
        $0.branch("left") { $0.add("l", .writes(written)) { $0[written] = true } }
        $0.branch("right") { $0.add("r", .writesNothing) { _ in } }
      }
    }
    let read = { (flow: Flow, isPremium: Bool) in
      flow.add("read", .reads(.link), .writesNothing, .when(.isPremium, is: isPremium)) { _ in }
    }
    #expect(read(parallel(chosen(), "other"), true).findings == [])
    #expect(read(parallel(chosen(), "other"), false).findings == [])
    #expect(await read(parallel(chosen(), "other"), true).run(with: ["isPremium": false]).isSuccess)
    // The keys that both branches write are certain after each of the earlier cases.
    let behind = parallel(chosen(), "other").cases(on: .isPremium) {
      $0.when(true) { $0.add("read", .reads(.link, "other" as FlowKey<Bool>), .writesNothing) { _ in } }
      $0.otherwise { $0.add("read", .reads("other" as FlowKey<Bool>), .writesNothing) { _ in } }
    }
    #expect(behind.findings == [])
    // This also applies if only the written keys distinguish the cases.
    let (text, late): (FlowKey<String>, FlowKey<Int>) = ("link", "late")
    let written = Flow().set(.isPremium, to: true).cases(on: .isPremium) {
      $0.when(true) { $0.add("both", .writes(.link, late)) { ($0[.link], $0[late]) = (1, 1) } }
      $0.otherwise { $0.add("text", .writes(text)) { $0[text] = "x" } }
    }
    let number = parallel(written, "other").add("read", .reads(.link), .writesNothing, .when(late, is: 1)) { _ in }
    #expect(number.findings == [])
  }

  @Test func `what a skipped step may write is there or missing together`() async {
    let late: FlowKey<Int> = "late"
    let flow = Flow().set(.isPremium, to: false)
      .add("any", .when(.isPremium)) { context in
        context[late] = 1
        context[.link] = 1
      }
      .add("read", .reads(.link), .writesNothing, .when(late, is: 1)) { _ = try $0.require(.link) }
    #expect(flow.findings == [])
    for isPremium in [false, true] { #expect(await flow.run(with: ["isPremium": isPremium]).isSuccess) }
  }

  @Test func `what cases in branches that run at once may write is not missed where their key is compared`() async {
    let (other, mode): (FlowKey<Int>, FlowKey<Bool>) = ("other", "mode")
    let write = { (flow: Flow, key: FlowKey<Int>) in
      _ = flow.cases(on: .isPremium) {
        $0.when(true) { $0.add("write", .writes(key)) { $0[key] = 1 } }
        $0.otherwise { $0.addNothing() }
      }
    }
    let flow = { (isPremium: Bool, written: FlowKey<Bool>) -> Flow in
      Flow().set(.isPremium, to: true)
        .parallel {
          $0.branch("link") { write($0, .link) }
          $0.branch("other") { write($0, other) }
          $0.branch("beside") { $0.add("b", .writes(written)) { $0[written] = true } }
        }
        .add("read", .reads(.link, other), .writesNothing, .when(.isPremium, is: isPremium)) {
          _ = try $0.require(.link) + $0.require(other)
        }
    }
    #expect(flow(true, mode).findings == [])
    for isPremium in [false, true] { #expect(await flow(true, mode).run(with: ["isPremium": isPremium]).isSuccess) }
    #expect(flow(false, mode).findings == [])
    let wide = Flow().set(.isPremium, to: true).parallel { branches in
      for index in 0..<40 { branches.branch("\(index)") { write($0, FlowKey("key\(index)")) } }
    }
    let behind = wide.add("read", .reads("key39" as FlowKey<Int>), .writesNothing, .when(.isPremium)) { _ in }
    #expect(behind.findings == [])
  }

  @Test func `what a branch may have written is unknown, whatever it writes for certain after that`() async {
    let (text, other): (FlowKey<String>, FlowKey<Bool>) = ("link", "other")
    let parallel = { (flow: Flow) in
      flow.parallel {
        $0.branch("left") {
          $0.add("any") { $0[text] = "x" }
          $0.add("l", .writes(other)) { $0[other] = true }
        }
        $0.branch("right") { $0.add("r", .writesNothing) { _ in } }
      }
    }
    let flow = parallel(Flow().set(.link, to: 1)).add("read", .reads(text, other), .writesNothing) {
      _ = try $0.require(text)
    }
    #expect(flow.findings == [])
    #expect(await flow.run().isSuccess)
    // This also applies to branches of branches.
    let outer = Flow().set(.link, to: 1).parallel {
      $0.branch("inner") { _ = parallel($0) }
      $0.branch("beside") { $0.add("b", .writesNothing) { _ in } }
    }
    #expect(outer.add("read", .reads(text), .writesNothing) { _ in }.findings == [])
    // A branch that may write anything may be the last to write a key of another branch.
    let both = Flow().parallel {
      $0.branch("any") { $0.add("any") { _ in } }
      $0.branch("link") { $0.add("link", .writes(.link)) { $0[.link] = 1 } }
    }
    #expect(both.add("read", .reads(text), .writesNothing) { _ in }.findings == [])
  }

  @Test func `a condition that looks for a value protects its step`() {
    let flow = Flow().add("other", .writesNothing) { _ in }
    #expect(reads(flow, .when { $0[.link] != nil }) == [])
    #expect(reads(Flow().add("any") { _ in }, .when(.link) { $0 > 0 }) == [])
    let inner = Flow("inner").add("read", .reads(.link), .writesNothing) { _ in }
    #expect(Flow().add(flow: inner, .when { $0[.link] != nil }).findings == [])
    #expect(Flow().add(flow: inner).findings == ["error missingData at 1. inner > 1. read: link"])
  }

  @Test func `what was there before remains, and a step that declares nothing may still write anything`() {
    let before = Flow().add("write", .writes(.link)) { $0[.link] = 1 }
    #expect(reads(before.add("maybe", .when { _ in true }, .writesNothing) { _ in }).isEmpty)
    #expect(reads(Flow().add("maybe", .when { _ in true }) { _ in }) == [])
  }

  @Test func `a key that nothing writes, or always with another type, is a warning`() async {
    let missing = Flow().add("x", .when(.isPremium), .writesNothing) { _ in }
    #expect(missing.findings == ["warning unmetCondition at 1. x: isPremium"])
    #expect(await missing.run().isSuccess)
    let mismatched = Flow().set("isPremium", to: "yes").add("x", .when(.isPremium), .writesNothing) { _ in }
    #expect(mismatched.findings == ["warning unmetCondition at 1. x: isPremium"])
    #expect(
      mismatched.validate().first?.problem
        == "It runs only for some values of <isPremium> of type <Bool>, but the data bucket holds a <String> at first.")
    let written = Flow().add("w", .writes("isPremium" as FlowKey<String>)) { _ in }
    #expect(written.add("x", .when(.isPremium)) { _ in }.findings == ["warning unmetCondition at 2. x: isPremium"])
    #expect(Flow().set(.isPremium, to: false).add("x", .when(.isPremium)) { _ in }.findings == [])
    #expect(Flow().add("any") { _ in }.add("x", .when(.isPremium)) { _ in }.findings == [])
  }

  @Test func `steps within one that can't run are not held against the flow`() {
    let inner = Flow("inner").add("read", .reads(.link), .writesNothing) { _ in }
    let flow = Flow().add(flow: inner, .when(.count, is: 1)).add("behind", .reads(.link), .writesNothing) { _ in }
    #expect(
      flow.findings == ["warning unmetCondition at 1. inner: count", "error missingData at 2. behind: link"])
  }

  @Test func `the blueprint shows the keys of conditions, and that there are some`() {
    let step = Flow().add("x", .when(.isPremium), .when { _ in true }) { _ in }.blueprint.steps[0]
    #expect(step.hasCondition && step.inputs.map(\.name) == ["isPremium"] && step.inputs[0].type == "Bool")
    #expect(step.inputs.allSatisfy { !$0.isRequired } && step.mayWriteAnything)
  }

  @Test func `a key that a group in a parallel branch may write is not known any more`() {
    let (mode, items): (FlowKey<String>, FlowKey<[Int]>) = ("mode", "items")
    func flow(_ isParallel: Bool) -> Flow {
      Flow().set(mode, to: "a").set(items, to: [1])
        .forEach(items, .writes(mode)) { (_: Int, context) in context[mode] = "a" }
        .cases(on: mode) { cases in
          cases.when("a") { branch in
            let write = { (flow: Flow) in
              _ = flow.forEach(items, .writes(mode)) { (_: Int, context) in context[mode] = "b" }
            }
            if isParallel { branch.parallel { $0.branch("left") { write($0) } } } else { write(branch) }
            branch.cases(on: mode) {
              $0.when("a") { $0.addNothing() }
              $0.when("b") { $0.add("reads", .reads("missing" as FlowKey<Int>)) { _ in } }
              $0.otherwise { $0.addNothing() }
            }
          }
          cases.otherwise { $0.addNothing() }
        }
    }
    for isParallel in [false, true] {
      #expect(flow(isParallel).validate().contains { $0.severity == .error }, "\(isParallel)")
    }
  }
}
