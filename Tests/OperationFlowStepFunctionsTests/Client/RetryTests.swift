import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct RetryTests {
  @Test(arguments: [
    ScriptedTransport.refusal("ThrottlingException"), ScriptedTransport.refusal("x", status: 429),
    ScriptedTransport.refusal("y", status: 503), ScriptedTransport.refusal("KmsThrottlingException"),
    StepFunctionsError(.connectionFailed, action: nil, message: "refused"),
  ])
  func `what may succeed later is tried again, with delays that grow`(error: StepFunctionsError) async throws {
    let clock = StepClock(jumps: true)
    let transport = ScriptedTransport { _, number in
      if number < 4 { throw error }
      return "{}"
    }
    try await StepFunctionsClient(transport: transport, clock: clock, seed: 7).sendTaskHeartbeat("t")
    #expect(transport.requests.count == 4)
    #expect(clock.delays.count == 3)
    for (delay, longest) in zip(clock.delays, [0.2, 0.4, 0.8]) {
      #expect(delay >= .seconds(longest / 2) && delay <= .seconds(longest))
    }
  }

  @Test func `the same seed gives the same delays`() async throws {
    func delays(seed: UInt64) async -> [Duration] {
      let clock = StepClock(jumps: true)
      let client = StepFunctionsClient(
        transport: ScriptedTransport { _, _ in throw ScriptedTransport.refusal("Throttling") }, attempts: 5,
        clock: clock,
        seed: seed)
      _ = try? await client.sendTaskHeartbeat("t")
      return clock.delays
    }
    #expect(await delays(seed: 3) == delays(seed: 3))
    #expect(await delays(seed: 3) != delays(seed: 4))
    #expect(await delays(seed: 3).count == 4)
  }

  @Test(arguments: ["AccessDeniedException", "TaskTimedOut", "ValidationException", "ExpiredTokenException"])
  func `what can't succeed is not tried again`(code: String) async throws {
    let transport = ScriptedTransport { _, _ in throw ScriptedTransport.refusal(code) }
    let error = await #expect(throws: StepFunctionsError.self) {
      try await StepFunctionsClient(transport: transport, clock: StepClock(jumps: true)).sendTaskHeartbeat("t")
    }
    #expect(error?.code == .init(code))
    #expect(transport.requests.count == 1)
  }

  @Test func `cancelling ends the wait before the next attempt`() async throws {
    let clock = StepClock(jumps: false)
    let transport = ScriptedTransport { _, _ in throw ScriptedTransport.refusal("ThrottlingException") }
    let task = Task { try await StepFunctionsClient(transport: transport, clock: clock).sendTaskHeartbeat("t") }
    await clock.waiting(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(transport.requests.count == 1)
  }

  @Test func `an error of a transport of someone's own is passed on`() async throws {
    let transport = ScriptedTransport { _, _ in throw CocoaError(.fileNoSuchFile) }
    await #expect(throws: CocoaError.self) {
      try await StepFunctionsClient(transport: transport).sendTaskHeartbeat("t")
    }
    #expect(transport.requests.count == 1)
  }
}
