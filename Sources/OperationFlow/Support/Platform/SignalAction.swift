import Foundation

/// The action of the process for a signal, so that it can be replaced and restored.
///
/// A handler is used rather than a source of Dispatch, which on Linux replaces the action itself, once and for good. And
/// a program that is started by this one begins with the default action in place of a handler, but would go on to ignore
/// what is ignored here.
struct SignalAction: @unchecked Sendable {
  // Invariant: it is never changed; the system's structure holds pointers to functions.
  private let former: sigaction

  /// Lets a signal be written to a pipe, in place of its action now; `nil` if the system refuses that.
  static func replacing(_ number: Int32) -> SignalAction? {
    var former = sigaction()
    guard SignalPipe.writeEnd >= 0, sigaction(number, nil, &former) == 0 else { return nil }
    // It interrupts no call of the system.
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

/// A pipe to which the handler of signals writes, because it may do hardly anything else.
enum SignalPipe {
  /// Both ends, made before there is a handler; -1 if the process has no descriptors left.
  static let (readEnd, writeEnd) = make()

  private static func make() -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return (-1, -1) }
    for end in ends {
      // Programs that are started by this one don't get it, and no thread waits at it.
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    return (ends[0], ends[1])
  }

  /// Writes the number of a signal, in a handler.
  static func write(_ number: Int32) {
    let code = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = Foundation.write(writeEnd, &byte, 1)
    errno = code
  }

  /// The signals that have come since it was read last, in order.
  static func read() -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = Foundation.read(readEnd, &bytes, bytes.count)
    return bytes.prefix(max(0, count)).map(Int32.init)
  }
}
