/// A recorder that is made when something is first recorded, for what hardly ever is.
final class LateRecorder: @unchecked Sendable {
  // Invariant: read and written under the object's shared lock only.
  @exclusivity(unchecked) private var made: Recorder?

  private var ifMade: Recorder? { SharedLocks.all.withLock(of: self) { made } }

  /// The recorder, made if there is none.
  var recorder: Recorder {
    SharedLocks.all.withLock(of: self) {
      if let made { return made }
      let recorder = Recorder()
      made = recorder
      return recorder
    }
  }

  /// What has been recorded; `nil` if that is nothing.
  var log: EventLog? { ifMade?.log }

  /// Returns what has been recorded, and forgets it; `nil` if there is nothing.
  func takeLog() -> EventLog? { ifMade?.takeLog() }
}
