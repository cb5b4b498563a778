import Foundation

/// One execution of a flow, as its user holds it.
///
/// Its steps run on operation queues, in threads that they may block. It goes on, and ends, if nothing holds it. Every
/// member may be called from any thread.
public final class FlowRun: Sendable {
  let engine: RunEngine

  init(_ engine: RunEngine) { self.engine = engine }

  /// The run's data bucket: it may be read and written while the run is under way, and is kept after its end.
  public var bucket: DataBucket { engine.bucket }

  /// How the run ended; awaiting it waits for the end and holds no thread.
  public var outcome: FlowOutcome {
    get async { await engine.outcome }
  }

  /// How the run ended; `nil` while it has not.
  public var currentOutcome: FlowOutcome? { engine.currentOutcome }

  /// The run's events in order: what the record has kept so far, and from then on every one as it happens.
  ///
  /// Each subscriber has a place of its own: a slow one delays no other and loses nothing.
  public var events: FlowEvents { FlowEvents(recorder: recorder) }

  /// How far the run has come: steps by their weight, a group by its items, and what operations report themselves.
  ///
  /// Its fraction is 1 when the run has succeeded, whichever branches were taken; after a failure, it stays as it was.
  /// Cancelling, pausing or resuming the progress does so to the run. Its observers are called in the run's threads.
  /// It is made when it is first asked for, and is the same from then on.
  public var progress: Progress { engine.progress }

  /// Cancels the run: nothing more starts, what runs is cancelled, and it ends once, as cancelled.
  ///
  /// A closure that a thread has taken up in that very moment may still begin.
  public func cancel() { engine.cancel() }

  /// Lets no new step, and no new item of a group, start until ``resume()``; what runs goes on.
  ///
  /// What a thread has taken up in that very moment may still begin. A paused run can be cancelled. One whose last step
  /// was running when it was paused ends with it. It is kept until it goes on, or ends, though nothing else holds it.
  public func pause() { engine.isPaused = true }

  /// Goes on after ``pause()``.
  public func resume() { engine.isPaused = false }

  /// Whether new steps are held back by ``pause()``.
  public var isPaused: Bool { engine.isPaused }

  var recorder: Recorder { engine.recorder }

  /// Begins, unless it has begun.
  func begin() { engine.begin() }
}
