import Foundation
import OperationFlow
import OperationFlowReports
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.heavy, .enabled(if: !Engine.all.isEmpty, "run .ci/engines/run, which starts the interpreters"))
struct HistoryEngineTests {
  // MiniStack's history doesn't contain the inputs of tasks.
  @Test(arguments: Engine.timing) func `an execution's history reads like a run`(engine: Engine) async throws {
    let flow = Flow("words").set("words", to: ["a", "b", "c"])
      .add("prepare", .writesNothing) { _ in }
      .forEach("words", into: "lengths", width: 1) { (word: String, _) in word.count }
    let (prepare, group) = (flow.blueprint.steps[0].path, flow.blueprint.steps[1].path)
    let client = try engine.client()
    let activity = try await client.createActivity(Engine.freshName("history"))
    let common = #""flow":"words","run.$":"$$.Execution.Id","retryCount.$":"$$.State.RetryCount","bucket":{}"#
    let task = #""Type":"Task","Resource":"\#(activity)","TimeoutSeconds":60"#
    let retry =
      #""Retry":[{"ErrorEquals":["OperationFlow.Failed"],"IntervalSeconds":1,"MaxAttempts":1,"BackoffRate":1}]"#
    let definition =
      #"{"StartAt":"Prepare","States":{"Prepare":{\#(task),\#(retry),"ResultPath":null,"Next":"Words","#
      + #""Parameters":{\#(common),"step":"\#(prepare)","mode":"nothing"}},"#
      + #""Words":{"Type":"Map","ItemsPath":"$.words","MaxConcurrency":1,"End":true,"#
      + #""ItemSelector":{"item.$":"$$.Map.Item.Value","index.$":"$$.Map.Item.Index"},"#
      + #""ItemProcessor":{"ProcessorConfig":{"Mode":"INLINE"},"StartAt":"Word","States":{"Word":{\#(task),"End":true,"#
      + #""Parameters":{\#(common),"step":"\#(group)","mode":"item","index.$":"$.index","item.$":"$.item"}}}}}}}"#
    let machine = try await client.deployStateMachine(
      Engine.freshName("history"), definition: definition, roleARN: Engine.roleARN)

    let calls = Tally()
    let worker = FlowWorker(
      performing: ClosurePerformer { _ throws(FlowTaskFailure) in
        calls.add()
        if calls.count == 1 { throw FlowTaskFailure(cause: "not yet", mayBeRetried: true) }
        if calls.count == 4 { throw FlowTaskFailure(cause: "no such word", mayBeRetried: false) }
        return "1"
      }, activityARN: activity, client: client)
    let run = Task { try await worker.run() }
    let execution = try await FlowExecution.start(
      machine, name: "a", input: Data(#"{"words":["a","b","c"]}"#.utf8), client: client)
    _ = try await execution.outcome()
    run.cancel()
    try await run.value

    let record = try await execution.record(of: flow)
    #expect(
      record.summary(style: FlowSummaryStyle(timeStyle: .none)) == """
        ====== Flow Summary: words ======
        [DataBucket] start with:
        words: ["a", "b", "c"]
        [prepare] WillStart
        [prepare] DidFinish: withError: not yet
        [prepare] WillStart (attempt 2)
        [prepare] DidFinish (attempt 2): successfully
        [words] group created: 2
        [words #1] WillStart
        [words #1] DidFinish: successfully
        [words #2] WillStart
        [words #2] DidFinish: withError: no such word
        [DataBucket] end with:
        words: ["a", "b", "c"]
        Flow isSuccess: false, [words #2]: no such word
        Failed at: 2. words, item #2; it read item = b, words = ["a", "b", "c"]
        ======    Ending    ======

        """)
  }
}
