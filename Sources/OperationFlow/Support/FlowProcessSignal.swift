import Foundation

/// A signal that the system, a user or another program sends to the process, usually to end it.
public struct FlowProcessSignal: Sendable, Hashable, CustomStringConvertible {
  /// The system's number of the signal.
  public let number: Int32
  /// The name of the signal, such as `SIGINT`.
  public let description: String

  private init(_ number: Int32, _ name: String) {
    self.number = number
    description = name
  }

  /// The signal of Ctrl-C, `SIGINT`.
  public static let interrupt = FlowProcessSignal(SIGINT, "SIGINT")
  /// The request to end, `SIGTERM`, which servers and service managers send.
  public static let terminate = FlowProcessSignal(SIGTERM, "SIGTERM")
  /// The end of the terminal, `SIGHUP`.
  public static let hangUp = FlowProcessSignal(SIGHUP, "SIGHUP")
  /// The signal of Ctrl-\, `SIGQUIT`.
  public static let quit = FlowProcessSignal(SIGQUIT, "SIGQUIT")
  /// A signal whose meaning a program chooses, `SIGUSR1`.
  public static let user1 = FlowProcessSignal(SIGUSR1, "SIGUSR1")
  /// Another signal whose meaning a program chooses, `SIGUSR2`.
  public static let user2 = FlowProcessSignal(SIGUSR2, "SIGUSR2")
}
