import Foundation
import OperationFlow

extension Flow {
  /// Adds a step that waits for a time, without a thread or a task of its own.
  ///
  /// The time is measured on the run's clock. In a durable run, the date of its end is stored first. After a restart,
  /// the step waits for the remaining time, by the date of the system, and ends immediately if no time is left.
  ///
  /// - Parameters:
  ///   - time: The time to wait: from zero to 100 years.
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
  /// another one; the run waits for the date with which the step began. If the date has passed, the step ends
  /// immediately. If the system's clock is set back meanwhile, the step waits until the date is reached again. If the
  /// clock is set forward, the step ends at the latest when the remaining time has passed.
  ///
  /// - Parameters:
  ///   - date: The date at which the step ends.
  ///   - name: The name that summaries show.
  ///   - traits: Options, such as `.when`.
  /// - Returns: The flow.
  @discardableResult
  public func wait(
    until date: Date, named name: String? = nil, _ traits: StepTrait<FlowStep.Repeatable>...
  ) -> Flow {
    wait(.date(date), name, [.writesNothing], traits)
  }

  /// Adds a step that waits until the date under a key, without a thread or a task of its own.
  ///
  /// The step behaves like that of ``wait(until:named:_:)-(Date,_,_)``.
  ///
  /// - Parameters:
  ///   - key: The key, under which there must be a date when the step begins.
  ///   - name: The name that summaries show.
  ///   - traits: Options, such as `.when`.
  /// - Returns: The flow.
  @discardableResult
  public func wait(
    until key: FlowKey<Date>, named name: String? = nil, _ traits: StepTrait<FlowStep.Repeatable>...
  ) -> Flow {
    wait(.keyDate(key), name, [.reads(key), .writesNothing], traits)
  }

  /// Adds a step that waits for a signal, without a thread or a task of its own, and writes the signal's value.
  ///
  /// Send the signal with ``FlowStore/send(_:_:to:messageID:beforeItBegins:sealing:clock:)`` to a durable run, and with
  /// ``OperationFlow/FlowRun/send(_:_:)`` to another one. A signal that arrives before the step begins is stored. Each
  /// signal is accepted by one step, in the order in which the signals were sent. The value is written under the
  /// signal's ``FlowSignal/key``.
  ///
  /// - Parameters:
  ///   - signal: The signal.
  ///   - timeout: The time to wait, after which the step fails with the code `timedOut`; without a limit if it is
  ///     `nil`.
  ///   - name: The name that summaries show.
  ///   - traits: Options, such as `.retry` or `.recover`.
  /// - Returns: The flow.
  @discardableResult
  public func wait<Value>(
    for signal: FlowSignal<Value>, timeout: Duration? = nil, named name: String? = nil,
    _ traits: StepTrait<FlowStep.Repeatable>...
  ) -> Flow {
    let awaited = AwaitedSignal(signal, timeout: timeout, continues: false)
    return wait(.signal(awaited), name, [.writes(signal.key)], traits)
  }

  /// Adds a step that waits for a signal for some time, and succeeds without its value if no signal arrives.
  ///
  /// The key of the signal then has the value that it had before, usually none: read it as an optional value.
  ///
  /// - Parameters:
  ///   - signal: The signal.
  ///   - time: The time to wait for the signal.
  ///   - name: The name that summaries show.
  ///   - traits: Options, such as `.when`.
  /// - Returns: The flow.
  @discardableResult
  public func wait<Value>(
    for signal: FlowSignal<Value>, continuingAfter time: Duration, named name: String? = nil,
    _ traits: StepTrait<FlowStep.Repeatable>...
  ) -> Flow {
    let awaited = AwaitedSignal(signal, timeout: time, continues: true)
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
