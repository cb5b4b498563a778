import OperationFlow

/// Injects faults into the work of a run, and passes on the progress that the work reports.
final class WorkProbe: RunProbe {
  /// The probe that the flow had before.
  private let earlier: (any RunProbe)?
  private let faults: FlowFaults?
  private let report: (@Sendable (Double) -> Void)?

  init(
    after earlier: (any RunProbe)?, faults: FlowFaults? = nil, report: (@Sendable (Double) -> Void)? = nil
  ) {
    (self.earlier, self.faults, self.report) = (earlier, faults, report)
  }

  func interception(of work: ProbedWork) -> Interception? {
    guard let fault = faults?.fault(of: work) else { return earlier?.interception(of: work) }
    // Work that is only delayed may still end with a fault that the flow had before.
    guard fault.end == nil, let earlier = earlier?.interception(of: work) else { return fault.interception }
    return .waits { clock in
      if case .waits(let wait) = fault.interception { try await wait(clock) }
      switch earlier {
      case .fails(let error): throw error
      case .waits(let wait): try await wait(clock)
      }
    }
  }

  func didReport(_ fraction: Double) {
    earlier?.didReport(fraction)
    report?(fraction)
  }
}

/// The fault of one piece of work.
struct WorkFault: Sendable {
  enum End: Sendable {
    case fails(any Error)
    /// The work does nothing until it is cancelled.
    case hangs
  }

  /// The delay before anything else; `nil` if there is none.
  var delay: Duration?
  /// The end that replaces the work; `nil` if the work is performed.
  var end: End?

  var interception: Interception {
    if delay == nil, case .fails(let error) = end { return .fails(error) }
    return .waits { clock in
      if let delay { try await clock.sleep(for: delay.clamped()) }
      switch end {
      case .fails(let error): throw error
      case .hangs: try await Self.hang()
      case nil: break
      }
    }
  }

  /// Waits until the task is cancelled; a clock that a program drives is notified that nothing else is to be expected.
  private static func hang() async throws {
    DrivenWork.current?.setWaiting(true)
    defer { DrivenWork.current?.setWaiting(false) }
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    // A cancelled task ends the loop.
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
    throw CancellationError()
  }
}
