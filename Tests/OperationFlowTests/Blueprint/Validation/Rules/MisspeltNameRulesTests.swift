import OperationFlow
import OperationFlowDurable
import TestSupport
import Testing

extension FlowKey where Value == String {
  fileprivate static var user: Self { "user" }
  fileprivate static var target: Self { "target" }
}

/// Names and values that almost equal those that the steps of a flow read.
@Suite(.watched) struct MisspeltNameRulesTests {
  private func reading() -> Flow { Flow().add("greet", .reads(optional: .user)) { _ in } }

  @Test func `a value under a name that no step reads is a warning with the nearest name that is read`() async throws {
    let flow = reading().set(FlowKey<String>("usr"), to: "ann")
    check("misspelt", flow, "warning unreadData at the flow: usr")
    let problem = try #require(flow.validate().first)
    #expect(
      problem.problem == "It sets <usr>, which no step reads." && problem.remedy == "Set <user>, if that is meant.")
    #expect(await flow.run().isSuccess)
    let given = try #require(reading().validate(with: ["User": "ann"]).first)
    #expect(given.key == "User" && given.remedy.contains("<user>"))
    let other = try #require(reading().validate(with: ["colour": "red"]).first)
    #expect(other.remedy == "Leave it out, or declare it with .reads in the step that reads it.")
    let inner = Flow("inner").set(FlowKey<String>("uesr"), to: "ann").add("greet", .reads(optional: .user)) { _ in }
    check("in a flow that is a step", Flow().add(flow: inner), "warning unreadData at 1. inner: uesr")
    check("read", reading().set(.user, to: "ann"))
  }

  @Test func `nothing is said of a name that a step may read`() {
    let misspelt = { () -> Flow in Flow().set(FlowKey<String>("usr"), to: "ann") }
    check("a closure that declares nothing", misspelt().add("any") { _ in })
    check("a closure that declares only what it writes", misspelt().add("any", .writesNothing) { _ in })
    check("a closure's condition", misspelt().add("any", .reads(), .when { _ in true }) { _ in })
    check("an operation that declares nothing", misspelt().add(SuccessOp()))
    check("a block before the first step", misspelt().add("read", .reads()) { _ in }.setWillStartBlock { _ in })
    check("it is written", misspelt().add("write", .reads(), .writes("usr" as FlowKey<String>)) { _ in })
    check(
      "a group's operation that may fail",
      misspelt().forEach(in: [1], into: "out" as FlowKey<[Int]>, tolerating: .all, run: DoubleOp.self))
  }

  @Test func `cases, conditions, operations, groups and waits declare what they read`() {
    let misspelt = "warning unreadData at the flow: usr"
    let data = { () -> Flow in Flow().set(FlowKey<String>("usr"), to: "ann").set(.target, to: "web").set("a", to: 1) }
    let cases = data().cases(on: .target) { $0.when("web") { $0.add(CopyOp("a")) } }
    check("cases and an operation", cases, misspelt)
    check("a condition", data().add(CopyOp("a"), .when(.target, is: "web")), misspelt)
    check("a wait", cases.wait(.zero), misspelt)
    let group = data().set(.numbers, to: [1]).forEach(.numbers, .reads(.target)) { (_: Int, _) in }
    check("a group", group, "warning unreadData at the flow: a", misspelt)
  }

  @Test func `a value that is nearly the only one that a key holds is a warning`() async throws {
    func cases(_ first: String, _ others: String...) -> Flow {
      Flow().set(.target, to: "web").cases(on: .target) { cases in
        for value in [first] + others { cases.when(value) { $0.addNothing() } }
        cases.otherwise { $0.addNothing() }
      }
    }
    check("misspelt", cases("wbe", "film"), "warning unreachableCase at 1. Cases > target=wbe: target")
    let problem = try #require(cases("we").validate().first)
    #expect(problem.problem == "It is for \"we\" under <target>, which holds \"web\" and is never written.")
    #expect(problem.remedy == "Compare it with \"web\", if that is meant.")
    check("there is a branch for it", cases("wob", "web"))
    check("another word", cases("film", "print"))
    let condition = Flow().set(.target, to: "web").add("read", .reads(), .when(.target, is: "webb")) { _ in }
    check("a condition", condition, "warning unmetCondition at 1. read: target")
    let written = Flow().set(.target, to: "web").add("write", .writes(.target)) { $0[.target] = "webb" }
    check("it is written", written.add("read", .reads(), .when(.target, is: "webb")) { _ in })
    let secret = Flow().set(.target, to: "web").markSensitive("target")
    check("it is a secret", secret.add("read", .reads(), .when(.target, is: "webb")) { _ in })
    #expect(await cases("wbe").run().isSuccess)
  }
}
