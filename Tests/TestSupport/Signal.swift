/// Something that happens once and is waited for.
package final class Signal: Sendable {
  private let tally = Tally()

  package init() {}

  package var isOn: Bool { tally.count > 0 }
  package func fire() { tally.add() }
  package func wait() async { await tally.reach(1) }
}
