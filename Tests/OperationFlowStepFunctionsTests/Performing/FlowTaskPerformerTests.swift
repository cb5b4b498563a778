import Foundation
import OperationFlow
import OperationFlowDurable
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct FlowTaskPerformerTests {
  private func task(_ flow: Flow, _ mode: FlowTask.Mode, _ step: String, _ bucket: String = "{}") -> FlowTask {
    FlowTask(mode, of: step, in: flow.name, run: "run 1/a", attempt: 3, bucket: Data(bucket.utf8))
  }

  @Test func `a step, an item and an undo have the keys of a durable run`() async throws {
    let keys = Journal<String>()
    let flow = Flow("F").set(.target, to: "A").set(.numbers, to: [4])
      .cases(on: .target) {
        $0.when("A") { $0.add("a", .undo { keys.append($0.idempotencyKey) }) { keys.append($0.idempotencyKey) } }
      }
      .forEach(
        .numbers, into: .squares, .undo { keys.append("\($0.idempotencyKey) \(try $0.item() as Int)") }
      ) { number, context in
        keys.append(context.idempotencyKey)
        return number
      }
      .add("fails") { _ in throw TestError() }
    _ = await flow.run(id: "run 1/a", in: MemoryFlowStore())
    let durable = keys.entries
    #expect(durable.count == 4 && Set(durable).count == 4)

    let (step, group) = ("1. Cases > target=A > 1. a", "2. numbers")
    let performer = FlowTaskPerformer(flow)
    _ = try await performer.perform(task(flow, .nothing, step))
    var item = task(flow, .item, group)
    (item.index, item.item) = (0, Data("4".utf8))
    _ = try await performer.perform(item)
    item.mode = .undoItem
    _ = try await performer.perform(item)
    _ = try await performer.perform(task(flow, .undo, step))
    #expect(Array(keys.entries.dropFirst(4)) == durable)
  }

  @Test func `an item has its index`() async throws {
    let flow = Flow("F").forEach(.numbers) { number, context in
      "\(number) \(context.index ?? -1) \(context.attempt) \(context.idempotencyKey)"
    }
    var item = task(flow, .indexedItem, "1. numbers")
    (item.index, item.item) = (7, Data("42".utf8))
    let output = try Value(try await FlowTaskPerformer(flow).perform(FlowTask(json: item.json)))
    #expect(output["index"] == .number(7))
    #expect(output["value"]?.text?.hasPrefix("42 7 3 ") == true && output["value"]?.text?.hasSuffix("#7") == true)
  }

  private static let performed: [(FlowTask.Mode, step: String, bucket: String, output: String)] = [
    // The digits of numbers don't change.
    (
      .bucket, "1. counts", #"{"big": 12345678901234567890, "exact": 1.10, "t": "a\"}{,", "n": null}"#,
      #"{"big":12345678901234567890,"count":1,"exact":1.10,"n":null,"t":"a\"}{,"}"#
    ),
    // A declared value that isn't written is unchanged, and is null if there was none.
    (.value, "2. fills", #"{"target": "given"}"#, "\"given\""), (.value, "2. fills", "{}", "\"default\""),
    (.value, "3. idle", "{}", "null"),
    // A null in the bucket is a missing value.
    (.condition, "4. asks", #"{"count": null}"#, "false"), (.condition, "4. asks", #"{"count": 0}"#, "true"),
    (.condition, "4. asks", "{}", "false"),
  ]

  @Test(arguments: performed.indices) func `what a task's work leaves is its output`(index: Int) async throws {
    let (mode, step, bucket, expected) = Self.performed[index]
    let flow = Flow("F").add("counts") { $0[.count] = 1 }
      .add("fills", .writes(.target)) { if $0[.target] == nil { $0[.target] = "default" } }
      .add("idle", .writes(.count)) { _ in }
      .add("asks", .when { $0.contains("count") }) { _ in }
    let output = try await FlowTaskPerformer(flow).perform(task(flow, mode, step, bucket))
    #expect(String(decoding: output, as: UTF8.self) == expected)
  }

  @Test func `failures say whether another attempt may help, and which one it was`() async throws {
    let flow = Flow("F")
      .add("missing", .reads(.count)) { _ = try $0.require(.count) }
      .add("thrown") { _ in throw TestError(name: "x") }
      .add("refused", .retry(.attempts(2)) { ($0 as? TestError) != TestError(name: "x") }) { _ in
        throw TestError(name: "x")
      }
      .add("cancels itself") { _ in throw CancellationError() }
      .add("opaque") { $0[FlowKey<@Sendable () -> Void>("f")] = {} }
    let tasks: [(FlowTask, mayBeRetried: Bool, cause: String)] = [
      (task(flow, .bucket, "1. missing"), false, ""),
      (task(flow, .bucket, "1. missing", #"{"count": "a"}"#), false, ""),
      (task(flow, .bucket, "2. thrown"), true, "2. thrown, attempt 3: TestError(x)"),
      (task(flow, .bucket, "3. refused"), false, ""), (task(flow, .bucket, "4. cancels itself"), false, ""),
      (task(flow, .bucket, "5. opaque"), false, ""), (task(flow, .bucket, "6. gone"), false, ""),
      (task(flow, .undo, "2. thrown"), false, ""), (task(Flow("G"), .bucket, "2. thrown"), false, "flow \"G\""),
    ]
    for (task, mayBeRetried, cause) in tasks {
      let failure = await #expect(throws: FlowTaskFailure.self) { try await FlowTaskPerformer(flow).perform(task) }
      #expect(failure?.mayBeRetried == mayBeRetried, "\(task.step)")
      #expect(cause.isEmpty || failure?.cause.contains(cause) == true, "\(failure?.cause ?? "")")
    }
  }

  @Test(arguments: ["", "[]", "{}", #"{"flow": "F", "step": "x", "mode": "odd", "run": "r", "bucket": {}}"#])
  func `an input that is no task is a final failure`(input: String) async {
    await #expect(throws: FlowTaskFailure.self) { try await FlowTaskPerformer(Flow("F")).perform(Data(input.utf8)) }
    do throws(FlowTaskFailure) {
      _ = try FlowTask(json: Data(input.utf8))
    } catch {
      #expect(!error.mayBeRetried && error.cause.contains("isn't a task"))
    }
  }

  @Test(arguments: [FlowTask.Mode.value, .nothing])
  func `a write that is not declared is a failure, so that it is not lost`(mode: FlowTask.Mode) async throws {
    let flow = Flow("F").add("a", .writes(.count)) { context in
      context[.count] = 1
      context[.total] = 2
    }
    let input = task(flow, mode, "1. a")
    let failure = await #expect(throws: FlowTaskFailure.self) { try await FlowTaskPerformer(flow).perform(input) }
    #expect(failure?.mayBeRetried == false && failure?.cause.contains("wrote <total>") == true)
  }

  @Test func `a worker learns of the heartbeat from the task`() {
    let flow = Flow("F").add("a") { _ in }
    let performer = FlowTaskPerformer(flow)
    var input = task(flow, .value, "1. a")
    #expect(performer.heartbeat(for: input.json) == nil)
    input.heartbeatSeconds = 20
    #expect(performer.heartbeat(for: input.json) == .seconds(20))
    #expect(performer.heartbeat(for: Data()) == nil)
  }

  @Test func `tasks of one flow do not disturb each other`() async throws {
    let flow = Flow("F").add("a", .writes(.total)) { $0[.total] = try $0.require(.count) * 2 }
    let performer = FlowTaskPerformer(flow)
    let inputs = (0..<50).map { task(flow, .value, "1. a", #"{"count": \#($0)}"#) }
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for (number, input) in inputs.enumerated() {
        group.addTask { try Value(try await performer.perform(input)) == .number(Double(2 * number)) }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }

  @Test func `cancelling the task cancels the work`() async throws {
    let (started, cancelled) = (Signal(), Signal())
    let flow = Flow("F").add("waits") { (_: FlowContext) async throws -> Void in
      started.fire()
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      for await _ in stream {}
      withExtendedLifetime(continuation) {}
      cancelled.fire()
      throw CancellationError()
    }
    let input = task(flow, .nothing, "1. waits")
    let work = Task { () -> FlowTaskFailure? in
      do throws(FlowTaskFailure) {
        _ = try await FlowTaskPerformer(flow).perform(input)
        return nil
      } catch {
        return error
      }
    }
    await started.wait()
    work.cancel()
    await cancelled.wait()
    let failure = await work.value
    #expect(failure?.mayBeRetried == true && failure?.cause.contains("cancelled") == true)
  }

  @Test func `in a task that is cancelled already no work begins`() async {
    let flow = Flow("F").add("works") { _ in fail("ran") }
    let input = task(flow, .nothing, "1. works")
    for _ in 0..<50 {
      let failure = await inCancelledTask { () -> FlowTaskFailure? in
        do throws(FlowTaskFailure) {
          _ = try await FlowTaskPerformer(flow).perform(input)
          return nil
        } catch {
          return error
        }
      }
      #expect(failure?.mayBeRetried == true && failure?.cause.contains("cancelled") == true)
    }
  }

  @Test func `numbers that make no sense do no harm`() throws {
    for number in ["-5", "9223372036854775807", "1e400", "2.5"] {
      let json =
        #"{"flow":"F","step":"s","mode":"item","run":"r","bucket":{},"retryCount":\#(number),"index":\#(number)}"#
      if let task = try? FlowTask(json: Data(json.utf8)) { #expect(task.attempt >= 1) }
    }
    var task = FlowTask(.item, of: "s", in: "F", run: "r", bucket: Data("{}".utf8))
    task.attempt = .min
    #expect(try FlowTask(json: task.json).attempt == 1)
  }

  @Test(arguments: [Int.min, -1, 0, 1, .max])
  func `work is told an attempt that can be counted`(attempt: Int) async throws {
    let flow = Flow("F").add("a", .writes(.count)) { $0[.count] = $0.attempt }
      .add("fails") { _ in throw TestError() }
    let performer = FlowTaskPerformer(flow)
    func task(_ step: String) -> FlowTask {
      FlowTask(.value, of: step, in: "F", run: "r", attempt: attempt, bucket: Data("{}".utf8))
    }
    let told = try await performer.perform(task("1. a"))
    #expect(try await performer.perform(task("1. a").json) == told)
    #expect((1...1_000_001).contains(try JSONDecoder().decode(Int.self, from: told)))
    let failure = await #expect(throws: FlowTaskFailure.self) { try await performer.perform(task("2. fails")) }
    #expect(failure?.cause.hasPrefix("2. fails, attempt \(min(max(attempt, 1), 1_000_001)): ") == true)
  }

  @Test func `a task is read as it was written`() throws {
    var task = FlowTask(.undoItem, of: "1. \"x\"", in: "F\n", run: "r", attempt: 2, bucket: Data(#"{"a":[1]}"#.utf8))
    (task.index, task.item, task.output) = (4, Data("[1,2]".utf8), Data("null".utf8))
    (task.heartbeatSeconds, task.error) = (9, Data(#"{"Error":"e"}"#.utf8))
    let read = try FlowTask(json: task.json)
    #expect(read.json == task.json)
    #expect(read.attempt == 2 && read.index == 4 && read.flow == "F\n" && read.heartbeatSeconds == 9)
  }
}
