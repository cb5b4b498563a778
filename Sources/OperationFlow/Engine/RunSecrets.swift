/// The secrets of a run, kept up to date at little cost while something shows the run again and again.
package struct RunSecrets: Sendable {
  /// The texts of the events before a number.
  private var ofEvents = SecretTexts()
  private var number = 0
  /// How often the names that are hidden had changed when the events were looked at.
  private var changeCount = 0
  private var all = SecretTexts()

  package init() {}

  /// Takes in what has happened since the last time; no lock may be held.
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

  /// The text with every value replaced that the record hides.
  package func scrubbing(_ text: String) -> String { all.scrubbing(text) }
}
