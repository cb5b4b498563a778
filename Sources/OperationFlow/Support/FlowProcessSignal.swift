import Dispatch
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

  /// Creates the signal with a number; `nil` if it isn't one of those above.
  package init?(number: Int32) {
    let all = [Self.interrupt, .terminate, .hangUp, .quit, .user1, .user2]
    guard let signal = all.first(where: { $0.number == number }) else { return nil }
    self = signal
  }
}

/// The signals of the process that listeners wait for; each is caught while it has listeners, and reported once.
final class SignalWatch: Sendable {
  static let shared = SignalWatch()

  private struct Listener: Sendable {
    let numbers: Set<Int32>
    let receive: @Sendable (Int32) -> Void
  }

  private struct State: Sendable {
    var listeners = [Int: Listener]()
    var nextID = 0
    /// The actions that were replaced, by signal.
    var former = [Int32: SignalAction]()
    var isReading = false

    /// Restores the actions of the signals without listeners.
    mutating func restoreUnheard() {
      for (number, action) in former where !listeners.values.contains(where: { $0.numbers.contains(number) }) {
        action.restore(number)
        former[number] = nil
      }
    }
  }

  private let state = Locked(State())

  private init() {}

  /// Adds a listener for the first of some signals; returns `nil` if the process can't catch them.
  func add(_ numbers: Set<Int32>, _ receive: @escaping @Sendable (Int32) -> Void) -> Int? {
    state.withLock { state in
      if !exchange(&state.isReading, with: true) { read() }
      for number in numbers where state.former[number] == nil {
        guard let action = SignalAction.replacing(number) else {
          state.restoreUnheard()
          return nil
        }
        state.former[number] = action
      }
      defer { state.nextID += 1 }
      state.listeners[state.nextID] = Listener(numbers: numbers, receive: receive)
      return state.nextID
    }
  }

  /// Removes a listener, unless a signal has arrived.
  func remove(_ id: Int) {
    // The listener is freed outside the lock, because it may have the last reference to a run.
    let removed = state.withLock { state in
      let removed = state.listeners.removeValue(forKey: id)
      if removed != nil { state.restoreUnheard() }
      return removed
    }
    withExtendedLifetime(removed) {}
  }

  /// Reads the pipe until the process ends.
  private func read() {
    guard SignalPipe.readEnd >= 0 else { return }
    let source = DispatchSource.makeReadSource(
      fileDescriptor: SignalPipe.readEnd, queue: DispatchQueue(label: "OperationFlow.SignalWatch"))
    source.setEventHandler { [self] in
      // The handler retains the source, so that it is never freed.
      withExtendedLifetime(source) { for number in SignalPipe.read() { tell(number) } }
    }
    source.activate()
  }

  /// Notifies all listeners for a signal, and removes them: the next signal has its former effect.
  private func tell(_ number: Int32) {
    let (listeners, isCaught) = state.withLock { state in
      let listeners = state.listeners.filter { $0.value.numbers.contains(number) }
      for id in listeners.keys { state.listeners[id] = nil }
      state.restoreUnheard()
      return (listeners, state.former[number] != nil)
    }
    // The signal was caught for a listener that was removed meanwhile, or is the second of two that arrived at once.
    if listeners.isEmpty, !isCaught { kill(getpid(), number) }
    for listener in listeners.sorted(by: { $0.key < $1.key }) { listener.value.receive(number) }
  }
}
