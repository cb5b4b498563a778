import Foundation

/// The action of the process for a signal, so that it can be replaced and restored.
///
/// Handlers are used instead of sources of Dispatch, which on Linux replace the action permanently. A program that is
/// started by this process gets the default action in place of a handler, but would inherit that a signal is ignored.
struct SignalAction: @unchecked Sendable {
  // Invariant: the value never changes; the system's structure contains pointers to functions.
  private let former: sigaction

  /// Replaces the action for a signal by one that writes it to the pipe; returns `nil` if the system refuses that.
  static func replacing(_ number: Int32) -> SignalAction? {
    var former = sigaction()
    guard SignalPipe.writeEnd >= 0, sigaction(number, nil, &former) == 0 else { return nil }
    // `signal` installs a handler that interrupts no system calls.
    signal(number) { SignalPipe.write($0) }
    return SignalAction(former: former)
  }

  /// Restores the action that was replaced.
  func restore(_ number: Int32) {
    var former = former
    _ = sigaction(number, &former, nil)
  }

  private init(former: sigaction) { self.former = former }
}

/// A pipe to which the handler of signals writes, because a handler may do hardly anything else.
enum SignalPipe {
  /// Both ends, created before there is a handler; -1 if the process has no descriptors left.
  static let (readEnd, writeEnd) = make()

  private static func make() -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return (-1, -1) }
    for end in ends {
      // Programs that are started by this process don't inherit the pipe, and no thread blocks on it.
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    return (ends[0], ends[1])
  }

  /// Writes the number of a signal; called in a handler.
  static func write(_ number: Int32) {
    let code = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = Foundation.write(writeEnd, &byte, 1)
    errno = code
  }

  /// Returns the signals since the last call, in order.
  static func read() -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = Foundation.read(readEnd, &bytes, bytes.count)
    return bytes.prefix(max(0, count)).map(Int32.init)
  }
}
