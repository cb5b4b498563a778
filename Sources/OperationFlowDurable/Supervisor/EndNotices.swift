import Foundation

/// The ends of runs that need no report: their listener has returned, or they have none.
struct EndNotices: Sendable {
  private struct Told: Sendable {
    let begun: Date
    /// The number of the look at the store before which the end was recorded.
    let look: Int
  }

  private var told: [String: Told] = [:]
  /// The ended runs of flows that the supervisor doesn't have, with the numbers of the looks that found them.
  private var foreign: [String: Int] = [:]
  private var lookNumber = 0
  /// True if ends before the first look need no report, because no supervisor has ever looked at the store.
  private var isFirst = false

  init() {}

  /// Begins with the notices of earlier supervisors; newer ones, from before this supervisor's first look, stay.
  mutating func begin(_ contents: SupervisorBook.Contents) {
    isFirst = contents.isNew
    for (id, begun) in contents.told where told[id] == nil { told[id] = Told(begun: begun, look: -1) }
  }

  /// The runs whose ends need no report, with the dates of their beginnings.
  var all: [String: Date] { told.mapValues(\.begun) }
  var count: Int { told.count }

  /// Returns the date at which the run began whose end was reported last under an identifier.
  func told(_ id: String) -> Date? { told[id]?.begun }

  /// Returns true if a look needn't read the journal of a run.
  ///
  /// The first look reads every journal, because an identifier in the notices may be that of another run by now.
  func isSettled(_ id: String) -> Bool { lookNumber > 0 && (told[id] != nil || foreign[id] != nil) }

  mutating func tell(_ id: String, begun: Date) { told[id] = Told(begun: begun, look: lookNumber) }

  /// Returns true if the end of a run that was found has to be reported; otherwise, records the end.
  mutating func isDue(_ id: String, _ beginning: FoundRun.Beginning) -> Bool {
    if told[id]?.begun == beginning.date { return false }
    if beginning.flow == nil {
      foreign[id] = lookNumber
      return false
    }
    if isFirst { tell(id, begun: beginning.date) }
    return !isFirst
  }

  /// Removes the notices of runs that a look didn't find; returns true if no supervisor had ever looked at the store.
  mutating func endLook(_ ids: Set<String>) -> Bool {
    let number = lookNumber
    told = told.filter { $0.value.look >= number || ids.contains($0.key) }
    foreign = foreign.filter { ids.contains($0.key) }
    lookNumber += 1
    defer { isFirst = false }
    return isFirst
  }
}
