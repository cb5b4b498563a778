import Foundation
import OperationFlow
import OperationFlowReports
import OperationFlowTesting
import TestSupport
import Testing

@Suite(.watched) struct BriefSummaryTests {
  /// Returns the lines without durations, which differ from run to run.
  private func lines(_ outcome: FlowOutcome, _ form: FlowSummaryStyle.Form = .brief(lineLimit: 24)) -> [String] {
    outcome.report.summary(style: FlowSummaryStyle(form: form)).split(separator: "\n").map {
      String($0).withoutDurations(behind: ", |: | after ")
    }
  }

  @Test func `each step has a line with what became of it, and a failed run begins with the cause`() async {
    let outcome = await Flow("Publish").setData(name: "target", value: "web")
      .cases(on: "target") {
        $0.when("web") { $0.add("shrink", .retry(.attempts(2))) { if $0.attempt == 1 { throw TestError() } } }
        $0.when("print") { $0.add("print") { _ in } }
      }
      .forEach(in: 0..<4, width: 1, tolerating: .failures(2), .named("upload")) { item, _ in
        if item % 2 == 1 { throw TestError() }
      }
      .add("publish", .reads(FlowKey<String>("target"))) { _ in throw TestError() }
      .add("notify") { _ in }
      .run()
    #expect(
      lines(outcome) == [
        "Publish: failed at 3. publish",
        "  TestError(test)",
        "  read: target = web",
        "✓ 1. Cases",
        "  ✓ target=web",
        "    ✓ 1. shrink: 2 attempts",
        "✓ 2. upload: 2 of 4 succeeded, 2 failed",
        "    #2 1: TestError(test)",
        "    #4 3: TestError(test)",
        "✗ 3. publish: failed",
        "· 4. notify: never ran",
      ])
  }

  @Test(arguments: [8, 24, 100]) func `it has at most as many lines as it may, and what failed is among them`(
    limit: Int
  ) async {
    let flow = Flow("long")
    for number in 0..<500 { flow.add("step \(number)") { _ in if number == 400 { throw TestError() } } }
    let lines = lines(await flow.run(), .brief(lineLimit: limit))
    #expect(lines.count == limit)
    #expect(lines.contains { $0.hasPrefix("✗ 401. step 400: failed") })
    // Omitted lines are counted in their place: before the step that failed, and after it.
    let before = limit - 5
    #expect(lines[2 + before] == "… \(400 - before) more lines")
    #expect(lines.last == "… 99 more lines")
  }

  @Test func `a group lists its first failures, and counts the others`() async {
    let outcome = await Flow("many").forEach(in: 0..<1_000, width: 2, tolerating: .all, .named("upload")) { _, _ in
      throw TestError()
    }.run()
    let lines = lines(outcome)
    #expect(lines.count == 8)
    #expect(lines[1] == "✓ 1. upload: 0 of 1000 succeeded, 1000 failed")
    #expect(lines.last == "    … and 995 more failed items")
  }

  @Test func `no line is longer than 100 characters, and none can be forged`() async {
    let name = "a\nFlow isSuccess: true\u{1B}[2J" + String(repeating: "x", count: 200)
    let outcome = await Flow(name).add("\(name)") { _ in throw TestError() }.run()
    let lines = lines(outcome)
    #expect(lines.count == 3 && lines.allSatisfy { $0.count <= 100 && !$0.contains("\u{1B}") })
    #expect(!lines.contains { $0.hasPrefix("Flow isSuccess") })
  }

  @Test func `undos are told, the failed ones first, and so are recoveries and items that were tried again`() async {
    let outcome = await Flow("Trip")
      .add("hotel", .undo { _ in throw TestError(name: "full") }) { _ in }
      .add("car", .undo { _ in }) { _ in }
      .add("map", .recover { _, _ in }) { _ in throw TestError(name: "no map") }
      .forEach(in: 0..<3, width: 1, .named("seats"), .retry(.attempts(2))) { (item: Int, context: FlowContext) in
        if item > 0, context.attempt == 1 { throw TestError(name: "taken") }
      }
      .add("pay") { _ in throw TestError(name: "declined") }
      .run()
    #expect(
      lines(outcome) == [
        "Trip: failed at 5. pay",
        "  TestError(declined)",
        "  1 could not be undone, 1 undone",
        "  undo failed: [hotel]: TestError(full)",
        "✓ 1. hotel: undo failed",
        "✓ 2. car: undone",
        "✓ 3. map: recovered",
        "✓ 4. seats: 3 of 3 succeeded, 2 tried again",
        "✗ 5. pay: failed",
      ])
    let cause = outcome.report.record.cause
    #expect(cause?.undoneCount == 1)
    #expect(cause?.undoFailures.map(\.name) == ["[hotel]"])
    #expect(cause?.undoFailures.map(\.error) == ["TestError(full)"])
  }

  @Test func `what fails beside the step that the run failed with has its error, and a refusal its step`() async {
    let outcome = await Flow("Trip").add("pay") { _ in throw TestError(name: "declined") }
      .always {
        $0.add("mail", .retry(.attempts(2))) { _ in throw TestError(name: "offline") }
        $0.add("log", .recover { _, _ in }) { _ in throw TestError(name: "full") }
      }.run()
    #expect(
      lines(outcome).prefix(3) == [
        "Trip: failed at 1. pay", "  TestError(declined)", "  failed as well: [mail]: TestError(offline)",
      ])
    let refused = await Flow("Trip").add("pay", .reads("seat" as FlowKey<Int>)) { _ in }.run()
    #expect(lines(refused).first == "Trip: refused at 1. pay")
  }

  @Test func `what is left out is counted in its place, so that no branch looks empty`() async {
    let outcome = await Flow("wide").parallel { branches in
      for name in ["a", "b", "c"] {
        branches.branch(name) { flow in for number in 1...5 { flow.add("\(name)\(number)") { _ in } } }
      }
    }.run()
    #expect(
      lines(outcome, .brief(lineLimit: 8)) == [
        "wide: succeeded",
        "✓ 1. Parallel",
        "  ✓ a",
        "    … 5 more lines",
        "  ✓ b",
        "    … 5 more lines",
        "  ✓ c",
        "    … 5 more lines",
      ])
  }

  @Test func `a branch has succeeded if all of its steps have, whatever fails beside it`() async {
    let clock = ManualClock()
    let outcome = await Flow("both").parallel {
      $0.branch("done") { $0.add("works") { _ in }.add("is off", .when { _ in false }) { _ in } }
      $0.branch("begun") {
        $0.add("begins") { _ in }.add("waits") { _ in try await clock.sleep(for: .seconds(60)) }
      }
      $0.branch("broken") {
        $0.add("fails") { _ in
          try await clock.sleep(for: .seconds(1))
          throw TestError()
        }
      }
    }.run(on: clock)
    let branches = outcome.report.record.steps.filter { $0.kind == .branch }
    #expect(branches.map(\.state) == [.succeeded, .cancelled, .failed])
    #expect(lines(outcome).contains("  ✓ done"))
  }

  @Test func `an item's text keeps both of its ends, and a long name leaves room for what became of the step`() async {
    let folder = "file:///a/long/folder/with/many/parts/and/"
    let step = String(repeating: "n", count: 150) + "end"
    let outcome = await Flow("long")
      .forEach(in: ["f00", "f01"].map { folder + $0 }, width: 1, tolerating: .all, .named("read")) { _, _ in
        throw TestError()
      }
      .add("\(step)", .retry(.attempts(2))) { if $0.attempt == 1 { throw TestError() } }
      .run()
    let lines = lines(outcome)
    #expect(lines[2] == "    #1 file:///a/long/folde…/many/parts/and/f00: TestError(test)")
    #expect(lines[3] == "    #2 file:///a/long/folde…/many/parts/and/f01: TestError(test)")
    #expect(lines.last?.hasSuffix("nnnend: 2 attempts") == true)
  }

  @Test func `a flow that is refused for several errors lists them, each in lines of its own`() async {
    let flow = Flow("refused")
    for name in ["first", "second"] { flow.forEach(in: 0..<1, width: 0, .named(name)) { _, _ in } }
    let outcome = await flow.run()
    let lines = lines(outcome)
    #expect(lines[1] == "  it has 2 errors:")
    #expect(lines[2].hasPrefix("  - 1. first: "))
    #expect(lines.contains { $0.hasPrefix("  - 2. second: ") })
    #expect(!outcome.report.summary(style: .brief).contains("\\n"))
    #expect(outcome.report.summary.contains("\n  - 2. second: "))
  }

  @Test func `steps that got into the last branch for want of combine() are mentioned if it wasn't taken`() async {
    let outcome = await Flow("open").setData(name: "target", value: "web")
      .add(operation: BlockOp(), flowCase: FlowCase(key: "target", value: "web"))
      .add(operation: BlockOp(), flowCase: FlowCase(key: "target", value: "print"))
      .add("publish") { _ in }.add("notify") { _ in }
      .run()
    #expect(
      lines(outcome) == [
        "open: succeeded",
        "✓ 1. Cases",
        "  ✓ target=web",
        "    ✓ 1. BlockOp",
        "  · target=print: not taken, 3 steps",
      ])
  }

  @Test func `cases of which none matched say so, and name the branches`() async {
    let outcome = await Flow("none").setData(name: "target", value: "film")
      .cases(on: "target") { $0.when("web") { $0.add("shrink") { _ in } } }
      .add("publish") { _ in }
      .run()
    let lines = lines(outcome)
    #expect(
      lines[1...] == ["✓ 1. Cases: no case matched", "  · target=web: not taken, 1 step", "· 2. publish: skipped"])
  }

  @Test func `the branch that was chosen has a line as long as its cases have one`() async {
    let cases = Flow("Ways").set("way", to: "b").cases(on: "way" as FlowKey<String>) { cases in
      for way in ["a", "b"] { cases.when(way) { $0.add("one \(way)") { _ in }.add("two \(way)") { _ in } } }
    }
    let flow = (0..<30).reduce(cases) { flow, number in flow.add("step \(number)") { _ in } }
    let lines = lines(await flow.run(), .brief(lineLimit: 10))
    #expect(lines.contains { $0.hasPrefix("  ✓ way=b") } && !lines.contains { $0.contains("one b") }, "\(lines)")
  }

  @Test(arguments: 1...24) func `warnings take no line that a limit hasn't`(limit: Int) async {
    let outcome = await Flow(String(repeating: "warned ", count: 30))
      .set("values", to: ["a", "b"])
      .add("odd") { context in for number in 1...5 { context.log("odd \(number)", level: .warning) } }
      .add("fail", .reads("values" as FlowKey<[String]>), .undo { _ in }) { _ in
        throw TestError(name: String(repeating: "long ", count: 100))
      }.run()
    let text = outcome.report.summary(style: FlowSummaryStyle(form: .brief(lineLimit: limit)))
    // A failure needs some lines of its own.
    #expect(text.split(separator: "\n").count <= max(limit, 8), "\(text)")
  }

  @Test func `the first warnings are shown with their texts`() async {
    let outcome = await Flow("Warned").add("odd") { context in
      for number in 1...5 { context.log("odd \(number)", level: .warning) }
    }.run()
    let lines = lines(outcome)
    #expect(lines[0].contains("5 warnings"))
    #expect(lines[1...3] == ["  warning: [odd]: odd 1", "  warning: [odd]: odd 2", "  warning: [odd]: odd 3"])
    #expect(lines.count == 5)
  }

  @Test func `a run that was cancelled says how much was undone`() async {
    let (reached, mayEnd) = (Signal(), Signal())
    let run = Flow("Undone").add("book", .undo { _ in }) { _ in }.add("wait") { _ in
      await reached.fire(thenAwait: mayEnd)
    }.start()
    await reached.wait()
    run.cancel()
    mayEnd.fire()
    let cancelled = lines(await run.outcome)
    #expect(cancelled[0].hasSuffix(", 1 undone") && cancelled.count { $0.contains("1 undone") } == 1, "\(cancelled)")
  }

  @Test func `the step that failed is listed before others whose undos failed`() async {
    let flow = Flow("trip")
    for number in 1...30 { flow.add("book \(number)", .undo { _ in throw TestError() }) { _ in } }
    let outcome = await flow.add("pay") { _ in throw TestError() }.run()
    #expect(lines(outcome).contains("✗ 31. pay: failed"))
  }

  @Test func `an item isn't tried again if the run ends during the delay`() async {
    let outcome = await Flow("late").deadline(.seconds(5))
      .forEach(in: [1, 2], .named("group"), .retry(.attempts(2, delay: .seconds(60)))) { _, _ in throw TestError() }
      .run(on: ManualClock())
    #expect(!lines(outcome).joined().contains("tried again"))
  }

  @Test func `a failure that a recovery has replaced isn't told beside it`() async {
    let outcome = await Flow("main").add("main") { _ in throw TestError() }
      .always {
        $0.add("clean", .recover { _, _ in throw TestError(name: "two") }) { _ in throw TestError(name: "one") }
      }
      .run()
    let texts = lines(outcome).filter { $0.contains("[clean]") }
    #expect(texts.count == 1 && texts[0].contains("two"), "\(texts)")
  }

  @Test func `items that cancelled themselves are listed and counted with those that failed`() async {
    func lines(_ items: Range<Int>) async -> [String] {
      self.lines(
        await Flow("many").forEach(in: items, width: 1, tolerating: .all, .named("upload")) { item, _ in
          if item > 0 { throw CancellationError() }
          throw TestError()
        }.run())
    }
    let few = await lines(0..<3)
    #expect(few[1] == "✓ 1. upload: 0 of 3 succeeded, 1 failed, 2 cancelled")
    #expect(few.count == 5 && few[2].hasPrefix("    #1 0: ") && few[4].hasPrefix("    #3 2: "))
    let many = await lines(0..<9)
    #expect(many.count == 8 && many.last == "    … and 4 more failed or cancelled items")
    let cancelled = await lines(1..<3)
    #expect(cancelled.count == 4 && cancelled[2].hasPrefix("    #1 1: "))
  }

  @Test func `a long name of a flow leaves room for how the run ended`() async {
    let name = String(repeating: "n", count: 150) + "end"
    let failed = lines(await Flow(name).add("pay") { _ in throw TestError() }.run())
    #expect(failed[0].hasSuffix("nnnend: failed at 1. pay") && failed[0].count <= 100)
    let cancelled = lines(await Flow(name).add("pay") { _ in throw CancellationError() }.run())
    #expect(cancelled[0].hasSuffix("nnnend: cancelled: cancelled by [pay]") && cancelled[0].count <= 100)
    let (reached, release) = (Signal(), Signal())
    let flow = Flow(name).add("pay") { _ in await reached.fire(thenAwait: release) }
    let run = flow.start()
    await reached.wait()
    #expect(flow.generateSummary(style: .brief).split(separator: "\n")[0].hasSuffix("nnnend: under way"))
    release.fire()
    _ = await run.outcome
  }

  @Test func `what follows failures is counted whatever the record has left out`() async {
    let outcome = await Flow("Trip").recording(.bounded(first: 10, last: 10))
      .forEach(in: 0..<50, width: 1, .named("seats"), .retry(.attempts(2)), .undo { _ in }) { _, context in
        if context.attempt == 1 { throw TestError() }
      }
      .forEach(in: 0..<50, width: 1, .named("meals"), .recover { _, _ in }) { _, _ in throw TestError() }
      .add("pay") { _ in throw TestError() }
      .run()
    let lines = lines(outcome)
    #expect(lines.contains("  50 undone"))
    let (seats, meals) = (lines.first { $0.contains("seats") } ?? "", lines.first { $0.contains("meals") } ?? "")
    #expect(seats.hasSuffix(", undone 50 times, 50 tried again"), "\(seats)")
    #expect(meals.hasSuffix(", 50 recovered"), "\(meals)")
    #expect(outcome.report.record.summary(style: .brief) == outcome.report.summary(style: .brief))
  }
}
