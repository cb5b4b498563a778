/// The time for which a supervisor leaves ended runs in its store.
public struct FlowRetention: Sendable, Hashable {
  /// The time since the end of a run; `nil` if the run stays for ever.
  let time: Duration?

  /// Ended runs stay until something else removes them.
  public static let never = FlowRetention(time: nil)

  /// Removes a run once a time has passed since its end; a negative time counts as zero.
  public static func after(_ time: Duration) -> FlowRetention { FlowRetention(time: max(.zero, time)) }
}
