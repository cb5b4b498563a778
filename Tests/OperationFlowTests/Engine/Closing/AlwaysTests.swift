import OperationFlow
import OperationFlowObservation
import OperationFlowTesting
import Testing

@Suite(.watched) struct AlwaysTests {
  private let ran = Journal<String>()

  private func note(_ name: String) -> @Sendable (FlowContext) -> Void {
    { [ran] _ in ran.append(name) }
  }

  private var names: [String] { ran.entries }

  @Test func `steps run at the end after a success, and know of it`() async {
    let flow = Flow("Job")
      .always {
        $0.add("clean up") { [ran] context in ran.append("\(context.ending?.isSuccess == true)") }
      }
      .add("work", run: note("work"))
    let outcome = await flow.run()
    #expect(outcome.isSuccess && names == ["work", "true"])
    #expect(outcome.report.steps.map(\.path) == ["1. work", "2. Always", "2. Always > 1. clean up"])
    #expect(outcome.report.steps.map(\.end) == [.succeeded, .succeeded, .succeeded])
    #expect(
      outcome.report.lines.filter { !$0.contains("DataBucket") } == [
        "[work] WillStart", "[work] DidFinish: successfully", "[Always] WillStart", "[clean up] WillStart",
        "[clean up] DidFinish: successfully", "[Always] DidFinish: successfully",
      ])
  }

  @Test func `they run after a failure, after the undos`() async {
    let flow = Flow()
      .add("book", .undo(note("undo"))) { _ in }
      .add("fail") { _ in throw TestError() }
      .add("never", run: note("never"))
      .always("Finally") {
        $0.add("clean up") { [ran] context in
          #expect(context.ending?.error is TestError && !context.isCancelled)
          ran.append("clean up")
        }
      }
    let outcome = await flow.run()
    #expect(outcome.error is TestError && names == ["undo", "clean up"] && outcome.report.alwaysFailures.isEmpty)
    #expect(outcome.report.steps.map(\.end) == [.succeeded, .failed, .neverRan, .succeeded, .succeeded])
  }

  @Test func `they run after a cancellation, and another cancel doesn't reach them`() async {
    let (isRunning, isCleaning, mayEnd) = (Signal(), Signal(), Signal())
    let run = Flow()
      .add("work") { _ in
        await isRunning.fireUntilCancelled()
        throw CancellationError()
      }
      .always {
        $0.add("clean up") { [ran] context in
          await isCleaning.fire(thenAwait: mayEnd)
          let isCancelled = if case .cancelled = context.ending { true } else { false }
          ran.append("\(isCancelled) \(context.isCancelled)")
        }
      }
      .start()
    await isRunning.wait()
    run.pause()
    run.cancel()
    await isCleaning.wait()
    run.cancel()
    mayEnd.fire()
    #expect(await run.outcome.isCancelled && names == ["true false"])
  }

  @Test func `they run if the run has begun, also if no step has, and not otherwise`() async {
    let flow = Flow()
    flow.add(
      "work",
      .when { [weak flow] _ in
        flow?.cancel()
        return true
      }, run: note("work")
    )
    .always { $0.add("clean up", run: note("clean up")) }
    #expect(await flow.run().isCancelled && names == ["clean up"])
    let early = await MainActor.run {
      // The block waits for the main actor, which this closure occupies.
      let run = Flow().setWillStartBlock { _ in }.add("work", run: note("work"))
        .always { $0.add("never", run: note("never")) }.start()
      run.cancel()
      return run
    }
    #expect(await early.outcome.isCancelled && names == ["clean up"])
  }

  @Test func `operations that were added as objects run at the end of a cancelled run`() async {
    let isRunning = Signal()
    let run = Flow()
      .add("work") { _ in await isRunning.fireUntilCancelled() }
      .add(
        operation: BlockOp("never") { [ran] operation in
          ran.append("never")
          operation.finishSuccessfully()
        }
      )
      .always {
        $0.add(
          operation: BlockOp("object") { [ran] operation in
            ran.append(operation.runEnding?.isSuccess == false ? "cleaned" : "not told")
            operation.finishSuccessfully()
          })
      }
      .start()
    #expect(await run.outcome(cancelledAfter: isRunning).isCancelled && names == ["cleaned"])
  }

  @Test func `a failure at the end is the outcome's only after a success, and is in the report anyway`() async {
    func flow(_ work: @escaping @Sendable (FlowContext) throws -> Void) -> Flow {
      Flow().add("work", run: work)
        .always("first") {
          $0.add("breaks") { _ in throw TestError(name: "late") }.add("skipped", run: note("skipped"))
        }
        .always("second") { $0.add("runs", run: note("runs")) }
    }
    let late = await flow { _ in }.run()
    #expect(late.error as? TestError == TestError(name: "late") && names == ["runs"])
    #expect(late.failure?.name == "[breaks]" && late.failure?.path == "2. first > 1. breaks")
    #expect(late.report.alwaysFailures.map(\.name) == ["[breaks]"])
    #expect(late.report.steps.map(\.end) == [.succeeded, .failed, .failed, .neverRan, .succeeded, .succeeded])
    #expect(late.report.lines.contains("[first] DidFinish: withError: TestError(late)"))
    let both = await flow { _ in throw TestError(name: "early") }.run()
    #expect(both.error as? TestError == TestError(name: "early"))
    #expect(both.report.alwaysFailures.map(\.path) == ["2. first > 1. breaks"])
    #expect(
      both.report.summary.contains("failed in [work]: TestError(early), [breaks] failed at the end: TestError(late)\n"))
    #expect(both.report.steps.map(\.end) == [.failed, .failed, .failed, .neverRan, .succeeded, .succeeded])
  }

  @Test func `steps with traits, groups, cases, flows and parallel branches run at the end`() async {
    let clock = ManualClock()
    let flow = Flow().set("target", to: "web")
      .add("fail") { _ in throw TestError() }
      .always {
        $0.add("again", .retry(.attempts(3, delay: .seconds(2))), .timeout(.seconds(5))) { [ran] context in
          if context.attempt == 1 { try await clock.sleep(for: .seconds(60)) }
          if context.attempt == 2 { throw TestError() }
          ran.append("attempt \(context.attempt)")
        }
        .forEach(in: 0..<3, .limited(by: FlowLimiter(atMost: 1))) { [ran] (item: Int, _) in
          ran.append("item \(item)")
        }
        .cases(on: "target") { $0.when("web") { $0.add("web", run: note("web")) } }
        .parallel {
          $0.branch("a") { $0.add("a", run: note("a")) }
          $0.branch("b") { $0.add("b", .recover { _, _ in }) { _ in throw TestError() } }
        }
        .cases(on: "missing") { $0.when("never") { $0.add("never", run: note("never")) } }
        .add("after", run: note("after"))
      }
      .always { $0.add("last", run: note("last")) }
    let outcome = await flow.run(on: clock)
    #expect(outcome.error is TestError && outcome.report.alwaysFailures.isEmpty)
    #expect(names == ["attempt 3", "item 0", "item 1", "item 2", "web", "a", "last"])
    #expect(clock.now.offset == .seconds(9) && outcome.report.earlyEnds.count == 1)
  }

  @Test func `in flows, cases and branches they run at the end of the run, if those have begun`() async {
    let flow = Flow().set("target", to: "web")
      .always { $0.add("outer", run: note("outer")) }
      .add(flow: Flow("inner").add("work", run: note("work")).always { $0.add("inner", run: note("inner")) })
      .cases(on: "target") {
        $0.when("web") { $0.always { $0.add("web", run: note("web")) } }
        $0.when("film") { $0.always { $0.add("film", run: note("film")) } }
      }
      .add("fail") { _ in throw TestError() }
      .add(flow: Flow("late").always { $0.add("late", run: note("late")) })
    let outcome = await flow.run()
    #expect(outcome.error is TestError && names == ["work", "web", "inner", "outer"])
    let ends = Dictionary(uniqueKeysWithValues: outcome.report.steps.map { ($0.path.description, $0.end) })
    #expect(ends["1. inner > 2. Always > 1. inner"] == .succeeded && ends["4. late > 1. Always"] == .neverRan)
    #expect(ends["2. Cases > target=film > 1. Always"] == .skipped && ends["5. Always > 1. outer"] == .succeeded)
  }

  @Test func `nested ones run after those that they are in`() async {
    let inner = Flow("inner").add("work", run: note("work")).always("within") { $0.add("nested", run: note("nested")) }
    let flow = Flow()
      .always("first") { $0.add(flow: inner).add("first", run: note("first")) }
      .always("second") { $0.add("second", run: note("second")) }
    let outcome = await flow.run()
    #expect(outcome.isSuccess && names == ["work", "first", "nested", "second"])
    #expect(
      outcome.report.steps.map(\.path.description) == [
        "1. first", "1. first > 1. inner", "1. first > 1. inner > 1. work", "1. first > 1. inner > 2. within",
        "1. first > 1. inner > 2. within > 1. nested", "1. first > 2. first", "2. second", "2. second > 1. second",
      ])
  }

  @Test func `they belong to the whole flow, also while cases are open`() async {
    let flow = Flow().set("target", to: "A")
      .add(operation: SuccessOp(), flowCase: FlowCase(key: "target", value: "A")).add("a", run: note("a"))
      .add(operation: SuccessOp(), flowCase: FlowCase(key: "target", value: "B")).add("b", run: note("b"))
      .always { $0.add("clean up", run: note("clean up")) }
    #expect(await flow.run().isSuccess && names == ["a", "clean up"])
  }

  @Test func `the results of a group that has stopped are there`() async {
    let key = FlowKey<[FlowItemResult<Int>]>("results")
    let flow = Flow()
      .forEach(in: 0..<3, width: 1, .results(in: key)) { (item: Int, _) throws -> Int in
        if item == 1 { throw TestError() }
        return item
      }
      .always {
        $0.add("count") { [ran] context in ran.append("\(context[key]?.map(\.isSuccess) ?? [])") }
      }
    let outcome = await flow.run()
    #expect(outcome.error is TestError && names == ["[true, false]"])
  }

  @Test func `they don't run if nothing has begun`() async {
    let refused = Flow().forEach(in: [1], width: 0) { (_: Int, _) in }.always {
      $0.add("clean up", run: note("clean up"))
    }
    #expect(await !refused.run().isSuccess)
    #expect(names.isEmpty)
  }

  @Test func `steps of always are checked, but may find anything`() {
    let token = FlowKey<String>("token")
    let flow = Flow().add("work") { _ in }
      .always { $0.add("give back", .reads(token)) { _ in }.forEach(in: [1], width: 0) { (_: Int, _) in } }
    #expect(flow.validate().map(\.code) == [.invalidWidth])
  }

  @Test func `they are undone never, and count in no progress`() async {
    let flow = Flow()
      .add("work") { _ in }
      .always { $0.add("clean up", .undo(note("undo"))) { _ in }.add("fails") { _ in throw TestError() } }
    let run = flow.start()
    let progress = run.progress
    let outcome = await run.outcome
    #expect(outcome.error is TestError && names.isEmpty && outcome.report.undos.isEmpty)
    #expect(progress.fractionCompleted <= 1)
  }

  @Test func `a deadline doesn't reach the end`() async {
    let clock = ManualClock()
    let flow = Flow().deadline(.seconds(5))
      .add("work") { _ in try await clock.sleep(for: .seconds(60)) }
      .always {
        $0.add("clean up") { [ran] context in
          try await clock.sleep(for: .seconds(20))
          ran.append("\((context.ending?.error as? FlowError)?.code == .deadlineExceeded)")
        }
      }
    let outcome = await flow.run(on: clock)
    #expect((outcome.error as? FlowError)?.code == .deadlineExceeded && names == ["true"])
    #expect(clock.now.offset == .seconds(25))
  }
}
