import OperationFlow
import OperationFlowStorage

/// The safety with which a durable run stores its results: whether they survive a power failure.
///
/// Whichever you choose, results survive the end of the process, except for those that wait while another is written.
public struct FlowDurability: Sendable, Hashable {
  enum Way: Sendable, Hashable {
    case everySettlement
    case grouped(Duration)
    case operatingSystem
  }

  let way: Way
  private(set) var continuesWithoutJournal = false

  private init(_ way: Way) { self.way = way }

  /// The next step starts only when the last one survives a power failure.
  public static let everySettlement = FlowDurability(.everySettlement)

  /// The operating system decides when it writes; a power failure may lose the last results.
  public static let operatingSystem = FlowDurability(.operatingSystem)

  /// Settlements share a write to the disk: after a power failure, those within this time may run again.
  ///
  /// - Parameter time: The longest time that a settlement waits for the shared write.
  /// - Returns: The durability.
  public static func grouped(within time: Duration = .milliseconds(5)) -> FlowDurability {
    FlowDurability(.grouped(time.clamped()))
  }

  /// Returns the same durability for a run that continues, with a warning, if its journal can't be written.
  ///
  /// Don't resume such a run: it would repeat work. Without this, a run whose journal can't be written fails with the
  /// journal's error. The work that is running is cancelled, and nothing more starts, not even undos and the steps that
  /// always run; the resume does the rest.
  ///
  /// - Returns: The durability.
  public func continuingWithoutJournal() -> FlowDurability {
    var durability = self
    durability.continuesWithoutJournal = true
    return durability
  }
}
