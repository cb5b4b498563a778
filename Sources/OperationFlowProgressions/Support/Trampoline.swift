import Dispatch

/// Runs functions one after the other, with constant stack, that would otherwise call each other deeper and deeper.
///
/// A loop on the thread's stack runs jobs. A job that has to continue adds another job and returns. The jobs that a job
/// has added run in the order in which they were added, before the older ones.
final class Trampoline {
  private struct Job {
    let wanted: DispatchQueue?
    let body: () -> Void
  }

  private static let local = ThreadLocal<Trampoline>()

  /// The waiting jobs; the last one runs next.
  private var jobs: [Job] = []
  /// The queue that the loop runs on, if it is known.
  private let queue: DispatchQueue?
  /// The queue on which the current job's values are wanted.
  private var wanted: DispatchQueue?

  private init(queue: DispatchQueue?) { self.queue = queue }

  /// True if the thread runs a loop.
  static var isRunning: Bool { local.current != nil }

  /// The queue on which the current job's results are wanted, if one has been named.
  static var wantedQueue: DispatchQueue? { local.current?.wanted }

  /// Runs `body` in a loop of its own, and returns when all jobs that it added have run.
  static func run(on queue: DispatchQueue? = nil, wanting: DispatchQueue? = nil, _ body: @escaping () -> Void) {
    let trampoline = Trampoline(queue: queue)
    trampoline.jobs.append(Job(wanted: wanting, body: body))
    local.with(trampoline) {
      while let job = trampoline.jobs.popLast() {
        trampoline.wanted = job.wanted
        let count = trampoline.jobs.count
        job.body()
        if trampoline.jobs.count > count + 1 { trampoline.jobs[count...].reverse() }
      }
    }
  }

  /// Adds `body` to the thread's loop, or runs it in a new one if there is none.
  static func enter(wanting: DispatchQueue?, _ body: @escaping () -> Void) {
    if let current = local.current {
      current.jobs.append(Job(wanted: wanting, body: body))
    } else {
      run(wanting: wanting, body)
    }
  }

  /// Runs `body` on the queue where results are wanted: immediately, if that is this queue or any queue.
  static func runWhereWanted(_ body: @escaping () -> Void) {
    guard let current = local.current, let wanted = current.wanted, wanted !== current.queue else { return body() }
    let job = Transfer(body)
    wanted.async { run(on: wanted, wanting: wanted) { job.value() } }
  }
}
