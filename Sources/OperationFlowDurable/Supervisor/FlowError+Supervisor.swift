import OperationFlow

extension FlowError.Code {
  /// A run can't be begun by a supervisor that is stopping, or has stopped.
  public static let notSupervising = Self("notSupervising")
  /// A run was at work each time its process ended, so it is begun alone, after all others.
  public static let suspectedRun = Self("suspectedRun")
}

extension FlowError {
  static func supervisorStops(_ id: String) -> FlowError {
    FlowError(
      .notSupervising, "the run \(shown(id)) can't be begun: the supervisor is stopping",
      remedy: "Begin it when run() is under way again, or by another supervisor.")
  }

  static func notSupervising(_ id: String, _ cause: FlowError?) -> FlowError {
    let why = cause.map { "has failed: \($0.problem)" } ?? "has returned"
    return FlowError(
      .notSupervising, "the run \(shown(id)) can't be begun: the supervisor's run() \(why)",
      remedy: "Call run() of the supervisor that is to look after the run, and begin it there.")
  }

  static func lostJournal(_ id: String) -> FlowError {
    FlowError(
      .storeFailed, "the run \(shown(id)) has ended without its journal, which could not be written",
      remedy: "Remove its journal: it would do again what it has done.")
  }

  static func suspectedRun(_ id: String, _ count: Int) -> FlowError {
    FlowError(
      .suspectedRun, "the run \(shown(id)) was at work when the process ended, \(count) times in a row",
      remedy: "See to work that ends its process; until then the run is begun alone, and later each time.")
  }
}
