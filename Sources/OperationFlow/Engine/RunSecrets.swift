/// The secrets of a run, which can be updated cheaply while something shows the run repeatedly.
package struct RunSecrets: Sendable {
  /// The texts of the events before `number`.
  private var ofEvents = SecretTexts()
  private var number = 0
  /// The change count of the hidden names when the events were last searched.
  private var changeCount = 0
  private var all = SecretTexts()

  package init() {}

  /// Adds the secrets of everything that happened since the last update; the caller must hold no lock.
  package mutating func update(from run: FlowRun) {
    let log = run.recorder.log
    // Values that were recorded before their name was hidden are hidden as well.
    if log.hidden.changeCount != changeCount {
      ofEvents = SecretTexts()
      number = 0
      changeCount = log.hidden.changeCount
    }
    number = log.insertSecrets(into: &ofEvents, from: number)
    all = log.secrets(among: run.bucket.values, run.facts, ofEvents: ofEvents)
  }

  /// Returns the text with every hidden value replaced.
  package func scrubbing(_ text: String) -> String { all.scrubbing(text) }
}
