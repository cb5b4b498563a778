#if !canImport(Darwin)
  import Foundation

  /// Observes from another thread whether a thread is working or waiting.
  struct ThreadProbe: Sendable {
    /// How much processor time a thread has used, and when that was measured, in nanoseconds.
    typealias Sample = (time: Int64, used: Int64)

    private let clock: clockid_t?
    /// The file in which the system reports the thread's state; empty if there is none.
    private let path: String

    /// Creates a probe of the calling thread.
    init() {
      var clock = clockid_t()
      self.clock = pthread_getcpuclockid(pthread_self(), &clock) == 0 ? clock : nil
      let name = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
      path = name.isEmpty ? "" : "/proc/" + name + "/stat"
    }

    /// How much time the thread has used so far; 0 if that can't be known.
    func sample() -> Sample { (Self.time(on: CLOCK_MONOTONIC), clock.map(Self.time(on:)) ?? 0) }

    /// Whether it was blocked between two samples: it used less than an eighth of the time, and isn't runnable now.
    func isBlocked(from first: Sample, to last: Sample, wasBlocked: Bool) -> Bool {
      let used = last.used - first.used
      if used * 8 > last.time - first.time { return false }
      // The look at its state is the most costly part.
      return (wasBlocked && used == 0) || !isRunnable
    }

    /// Whether the thread has a processor or is waiting for one; false if the system doesn't report it.
    private var isRunnable: Bool {
      // The number, the name in parentheses, and the state as one letter.
      guard let text = FileManager.default.contents(atPath: path), let end = text.lastIndex(of: UInt8(ascii: ")"))
      else { return false }
      return text[end...].dropFirst(2).first == UInt8(ascii: "R")
    }

    private static func time(on clock: clockid_t) -> Int64 {
      var time = timespec()
      return clock_gettime(clock, &time) == 0 ? Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) : 0
    }
  }
#endif
