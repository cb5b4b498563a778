import Foundation
import OperationFlow

/// Shows the progress of a run in a terminal: a bar for each running group, and a line for each running step.
///
/// On a terminal, the lines are redrawn in place at most ten times a second, and removed when the run has ended. In any
/// other output, or if an environment variable (`NO_COLOR`, `TERM=dumb` or `CI`) asks for it, a plain line is written
/// for each quarter of a group. By default, the lines are written to standard error, separate from the results on
/// standard output.
///
/// ```swift
/// let run = flow.start()
/// await TerminalProgress().follow(run)
/// print(await run.outcome.report.summary(style: .brief))
/// ```
///
/// Sensitive values in names are hidden, as in the run's record. You can call every member from any thread.
public final class TerminalProgress: Sendable {
  /// The time between two redraws.
  private static let interval = Duration.milliseconds(100)

  fileprivate struct State: Sendable {
    var name = ""
    var work = RunningWork()
    /// The run that is shown.
    var run: FlowRun?
    var secrets = RunSecrets()
    /// The step or branch that contains each step of the run.
    var parents: [Int: Int] = [:]
    /// The number of lines on the screen.
    var drawnCount = 0
    var lastDrawn: ContinuousClock.Instant?
    /// The last quarter of each group that has a plain line.
    var quarters: [Int: Int] = [:]
  }

  private let output: TerminalOutput
  private let clock: any Clock<Duration>
  private let state = Locked(State())
  /// A lock that is held during each write, so that lines don't mix.
  private let writing = Locked(())

  /// Creates a progress display, which can follow several runs, one after the other.
  ///
  /// - Parameter file: The file handle to write to.
  public convenience init(to file: FileHandle = .standardError) {
    self.init(to: .file(file, environment: ProcessInfo.processInfo.environment), on: ContinuousClock())
  }

  init(to output: TerminalOutput, on clock: any Clock<Duration>) {
    (self.output, self.clock) = (output, clock)
  }

  /// Shows a run until it has ended, or until the task is cancelled.
  ///
  /// - Parameter run: The run.
  public func follow(_ run: FlowRun) async {
    let steps = output.isInteractive ? run.record.steps : []
    let parents = steps.reduce(into: [:]) { parents, step in parents[step.id] = step.parent }
    state.withLock { $0 = State(name: run.flowName, run: run, parents: parents) }
    await withTaskGroup(of: Void.self) { tasks in
      if output.isInteractive {
        tasks.addTask {
          while (try? await self.clock.sleep(for: Self.interval)) != nil { self.draw() }
        }
      }
      for await event in run.events { self.add(event) }
      tasks.cancelAll()
    }
    clear()
  }

  /// Writes a line above the progress, without breaking the lines of the progress.
  ///
  /// - Parameter line: The line, without a line break.
  public func print(_ line: String) {
    writing.withLock { _ in
      let erased = output.isInteractive ? state.withLock { $0.erase() } : ""
      output.write(erased + line + "\n")
    }
    if output.isInteractive { draw() }
  }

  /// Adds an event, and writes a plain line if the event completes a quarter of a group.
  ///
  /// In an interactive output, the next `draw()` shows the change.
  func add(_ event: FlowEvent) {
    let group = state.withLock { state in
      state.work.add(event)
      return output.isInteractive ? nil : state.groupWithLine(after: event)
    }
    guard let group else { return }
    let (now, secrets) = (currentTime(), currentSecrets())
    let lines = state.withLock { ProgressLines(name: $0.name, work: $0.work, now: now, secrets: secrets) }
    writing.withLock { _ in output.write(lines.line(group) + "\n") }
  }

  /// Redraws the lines, unless the last redraw was a moment ago.
  func draw() {
    let (window, now, secrets) = (output.window(), currentTime(), currentSecrets())
    let isOpening = state.withLock { $0.run }?.waitingFor.first?.reason == .opening
    writing.withLock { _ in
      let text = state.withLock { $0.frame(in: window, at: now, hiding: secrets, isOpening: isOpening) }
      if let text { output.write(text) }
    }
  }

  /// Returns the time on the run's clock, which may be a user's code, so it is read outside all locks.
  private func currentTime() -> Date { state.withLock { $0.run }?.currentTime ?? .distantPast }

  /// Returns the values that the run hides, found outside all locks because a user's code may make their texts.
  private func currentSecrets() -> RunSecrets {
    var (run, secrets) = state.withLock { ($0.run, $0.secrets) }
    guard let run else { return secrets }
    secrets.update(from: run)
    state.withLock { $0.secrets = secrets }
    return secrets
  }

  /// Removes the lines, and releases the run.
  private func clear() {
    // The run is released outside the lock, because a user's `deinit` may call this object.
    _ = state.withLock { $0.run.take() }
    guard output.isInteractive else { return }
    writing.withLock { _ in
      let text = state.withLock { $0.erase() }
      if !text.isEmpty { output.write(text) }
    }
  }
}

extension TerminalProgress.State {
  /// Returns the text that redraws the lines; `nil` if the last redraw was a moment ago, or if the run has ended.
  fileprivate mutating func frame(
    in window: TerminalWindow, at now: Date, hiding secrets: RunSecrets, isOpening: Bool
  ) -> String? {
    let drawn = ContinuousClock.now
    if let lastDrawn, drawnCount > 0, drawn - lastDrawn < .milliseconds(95) { return nil }
    guard work.ending == nil else { return nil }
    let lines = ProgressLines(
      name: name, work: work, now: now, secrets: secrets, isOpening: isOpening, parents: parents
    ).fitting(window)
    defer { (drawnCount, lastDrawn) = (lines.count, drawn) }
    // ECMA-48: EL clears the rest of each line, and ED clears the lines below, which a longer frame has left.
    let body = lines.map { $0 + "\u{1B}[K\n" }.joined()
    return start(of: drawnCount) + body + "\u{1B}[J"
  }

  /// Returns the text that removes the lines from the screen.
  fileprivate mutating func erase() -> String {
    guard drawnCount > 0 else { return "" }
    defer { drawnCount = 0 }
    return start(of: drawnCount) + "\u{1B}[J"
  }

  /// Returns the text that moves the cursor to the first of the lines above it.
  private func start(of count: Int) -> String { count > 0 ? "\u{1B}[\(count)A\r" : "\r" }

  /// Returns the group of an item's event if it needs a plain line, because another quarter of its items has ended.
  fileprivate mutating func groupWithLine(after event: FlowEvent) -> RunningWork.Group? {
    guard let step = event.step, let group = work.groups[step], event.source.item != nil else { return nil }
    let quarter: Int
    if let total = group.total {
      quarter = total > 0 ? group.doneCount * 4 / total : 0
    } else {
      // The number of items isn't known: a line for 1, 2, 4, 8 … thousands.
      let thousands = group.doneCount / 1_000
      quarter = thousands == 0 ? 0 : Int.bitWidth - thousands.leadingZeroBitCount
    }
    guard quarter > quarters[step, default: 0] else { return nil }
    quarters[step] = quarter
    return group
  }
}
