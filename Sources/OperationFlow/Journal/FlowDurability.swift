/// How safely a durable run stores its results: what survives a power failure.
///
/// Whichever you choose, results survive the end of the process, except for those that wait while another is written.
public struct FlowDurability: Sendable, Hashable {
  enum Way: Sendable, Hashable {
    case everySettlement
    case grouped(Duration)
    case operatingSystem
  }

  /// What a run does if its journal can't be written.
  public enum JournalFailure: Sendable, Hashable {
    /// It fails with the error of the journal, whatever it would have ended with; the resume does what is left to do.
    ///
    /// What runs is cancelled, and nothing more starts, not even undos and what always runs.
    case fail
    /// It continues without a journal, with a warning in its record; don't resume such a run: it would repeat work.
    case goOn
  }

  let way: Way
  private(set) var journalFailure = JournalFailure.fail

  private init(_ way: Way) { self.way = way }

  /// The next step starts only when the last one survives a power failure.
  public static let everySettlement = FlowDurability(.everySettlement)

  /// The operating system decides when it writes; a power failure may take what came last.
  public static let operatingSystem = FlowDurability(.operatingSystem)

  /// Settlements share a write to the disk: after a power failure, those within this time may run again.
  ///
  /// - Parameter time: The longest time that a settlement waits for it.
  /// - Returns: The durability.
  public static func grouped(within time: Duration = .milliseconds(5)) -> FlowDurability {
    FlowDurability(.grouped(time.clamped()))
  }

  /// Returns the same durability, with what happens if the journal can't be written; the default is to fail.
  ///
  /// - Parameter failure: What the run does.
  /// - Returns: The durability.
  public func onJournalFailure(_ failure: JournalFailure) -> FlowDurability {
    var durability = self
    durability.journalFailure = failure
    return durability
  }
}
