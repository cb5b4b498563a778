import Foundation
import OperationFlow

extension Flow {
  /// Adds a step that waits for a time, without a thread or a task of its own.
  ///
  /// The time is measured on the run's clock. In a durable run, the date of its end is stored first: after a restart, the
  /// step waits for what is left of it, by the date of the system, and goes on immediately if that is over.
  ///
  /// - Parameters:
  ///   - time: How long to wait: from zero to 100 years.
  ///   - name: The name that summaries show.
  ///   - traits: Options, such as `.when`.
  /// - Returns: The flow.
  @discardableResult
  public func wait(_ time: Duration, named name: String? = nil, _ traits: StepTrait<FlowStep.Repeatable>...) -> Flow {
    wait(.time(time), name, [.writesNothing], traits)
  }

  /// Adds a step that waits until a date, without a thread or a task of its own.
  ///
  /// The date is one of the run's clock. It isn't part of the step's name, so a process that resumes the run may give
  /// another one; the run keeps that with which the step began.
  /// If it has passed, the step ends immediately. If the system's clock is set back
  /// meanwhile, it waits until the date comes again; if it is set forward, the step ends at the latest when the time that
  /// was left has passed.
  ///
  /// - Parameters:
  ///   - date: When to go on.
  ///   - name: The name that summaries show.
  ///   - traits: Options, such as `.when`.
  /// - Returns: The flow.
  @discardableResult
  public func wait(
    until date: Date, named name: String? = nil, _ traits: StepTrait<FlowStep.Repeatable>...
  ) -> Flow {
    wait(.date(date), name, [.writesNothing], traits)
  }

  /// Adds a step that waits until the date that a key holds, without a thread or a task of its own.
  ///
  /// It does what ``wait(until:named:_:)-(Date,_,_)`` does.
  ///
  /// - Parameters:
  ///   - key: The key, which must hold a date when the step begins.
  ///   - name: The name that summaries show.
  ///   - traits: Options, such as `.when`.
  /// - Returns: The flow.
  @discardableResult
  public func wait(
    until key: FlowKey<Date>, named name: String? = nil, _ traits: StepTrait<FlowStep.Repeatable>...
  ) -> Flow {
    wait(.keyDate(key), name, [.reads(key), .writesNothing], traits)
  }

  /// Adds a step that waits for a signal, without a thread or a task of its own, and writes its value.
  ///
  /// Send it with ``FlowStore/send(_:_:to:messageID:beforeItBegins:sealing:clock:)`` to a durable run, and with
  /// ``OperationFlow/FlowRun/send(_:_:)`` to another one. A signal that comes before the step is kept. Each is taken by one
  /// step, in the order in which they were sent. The value goes under the signal's ``FlowSignal/key``.
  ///
  /// - Parameters:
  ///   - signal: The signal.
  ///   - timeout: How long to wait; the step then fails with the code `timedOut`. `nil` waits for as long as it takes.
  ///   - name: The name that summaries show.
  ///   - traits: Options, such as `.retry` or `.recover`.
  /// - Returns: The flow.
  @discardableResult
  public func wait<Value>(
    for signal: FlowSignal<Value>, timeout: Duration? = nil, named name: String? = nil,
    _ traits: StepTrait<FlowStep.Repeatable>...
  ) -> Flow {
    let awaited = AwaitedSignal(signal, timeout: timeout, goesOn: false)
    return wait(.signal(awaited), name, [.writes(signal.key)], traits)
  }

  /// Adds a step that waits for a signal for some time, and goes on without its value if none comes.
  ///
  /// The key of the signal then holds what it held before, usually nothing: read it as an optional value.
  ///
  /// - Parameters:
  ///   - signal: The signal.
  ///   - time: How long to wait for it.
  ///   - name: The name that summaries show.
  ///   - traits: Options, such as `.when`.
  /// - Returns: The flow.
  @discardableResult
  public func wait<Value>(
    for signal: FlowSignal<Value>, goingOnAfter time: Duration, named name: String? = nil,
    _ traits: StepTrait<FlowStep.Repeatable>...
  ) -> Flow {
    let awaited = AwaitedSignal(signal, timeout: time, goesOn: true)
    return wait(.signal(awaited), name, [], traits)
  }

  private func wait(
    _ kind: StepWait.Kind, _ name: String?, _ own: [StepTrait<FlowStep.Repeatable>],
    _ traits: [StepTrait<FlowStep.Repeatable>]
  ) -> Flow {
    let wait = StepWait(kind: kind)
    let options = StepOptions([.named(name ?? wait.ownName)] + own + traits + [StepTrait { $0.set(wait) }])
    return add(.of(WaitOperation.self), { WaitOperation(wait) }, options)
  }
}
