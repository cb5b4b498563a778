import Foundation

/// The ends of runs that need no report: their listener has returned, or they have none.
struct EndNotices: Sendable {
  private struct Told: Sendable {
    let begun: Date
    /// The look at the store before which it was noted.
    let look: Int
  }

  private var told: [String: Told] = [:]
  /// The ended runs of flows that the supervisor doesn't have.
  private var foreign: [String: Int] = [:]
  private var lookNumber = 0
  /// True if what has ended before the first look needs no report: no supervisor has ever looked at the store.
  private var isFirst = false

  init() {}

  /// Begins with what the supervisors before have left, and what was reported before this one looked at the store.
  mutating func begin(_ contents: SupervisorBook.Contents) {
    isFirst = contents.isNew
    for (id, begun) in contents.told where told[id] == nil { told[id] = Told(begun: begun, look: -1) }
  }

  /// The runs, with the dates of their beginnings.
  var all: [String: Date] { told.mapValues(\.begun) }
  var count: Int { told.count }

  /// The beginning of the run whose end was reported last under an identifier.
  func told(_ id: String) -> Date? { told[id]?.begun }

  /// True if a look has to read the journal of a run: the first one does in any case, for it may be that of another run.
  func isSettled(_ id: String) -> Bool { lookNumber > 0 && (told[id] != nil || foreign[id] != nil) }

  mutating func tell(_ id: String, begun: Date) { told[id] = Told(begun: begun, look: lookNumber) }

  /// True if the end of a run that was found is to be reported; notes it if it isn't.
  mutating func isDue(_ id: String, _ beginning: FoundRun.Beginning) -> Bool {
    if told[id]?.begun == beginning.date { return false }
    if beginning.flow == nil {
      foreign[id] = lookNumber
      return false
    }
    if isFirst { tell(id, begun: beginning.date) }
    return !isFirst
  }

  /// Forgets what a look at the store hasn't found any longer; true if no supervisor had ever looked at the store before.
  mutating func endLook(_ ids: Set<String>) -> Bool {
    let number = lookNumber
    told = told.filter { $0.value.look >= number || ids.contains($0.key) }
    foreign = foreign.filter { ids.contains($0.key) }
    lookNumber += 1
    defer { isFirst = false }
    return isFirst
  }
}
