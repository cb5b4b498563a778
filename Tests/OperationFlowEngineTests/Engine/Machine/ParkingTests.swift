import TestSupport
import Testing

@testable import OperationFlow

/// Tests much parked work at once, such as the items of a wide group that wait for a limiter.
@Suite(.watched) struct ParkingTests {
  private struct Group {
    var machine: RunStateMachine
    let tickets: [WorkTicket]
  }

  /// Returns a group whose items are all claimed, and all parked.
  private func parked(_ count: Int) -> Group {
    let flow = Flow().forEach(in: 0..<count, width: count) { _, _ in }
    var machine = RunStateMachine(flow.makeLaunch().blueprint)
    machine.begin()
    if let plan = machine.claim() {
      _ = machine.settle(plan.ticket, .planned(count: count, width: count, tolerance: .none))
    }
    let tickets = (0..<count).compactMap { _ in machine.claim()?.ticket }
    for ticket in tickets { _ = machine.park(ticket) }
    return Group(machine: machine, tickets: tickets)
  }

  @Test func `what is resumed while a pause holds it is claimed in that order, however much it is`() {
    let count = 30_000
    var group = parked(count)
    group.machine.isPaused = true
    for ticket in group.tickets.reversed() { group.machine.resume(ticket) }
    let early = group.machine.claim()
    #expect(early == nil && group.machine.parking.count == count)
    group.machine.isPaused = false
    #expect(group.machine.claimableCount == count)
    var claimed: [WorkTicket] = []
    // Each claim is parked again, like work whose limiter has no permit for it.
    while claimed.count < count, let offer = group.machine.claim() {
      claimed.append(offer.ticket)
      _ = group.machine.park(offer.ticket)
    }
    #expect(claimed == group.tickets.reversed())
    #expect(group.machine.claimableCount == 0 && group.machine.parking.count == count)
  }

  @Test func `what was claimed out of its turn, or has settled, isn't claimed again`() {
    var group = parked(4)
    let (first, second, third, last) = (group.tickets[0], group.tickets[1], group.tickets[2], group.tickets[3])
    for ticket in group.tickets { group.machine.resume(ticket) }
    let outOfTurn = group.machine.claim(second)
    _ = group.machine.settle(third, .settled(.succeeded))
    #expect(outOfTurn?.ticket == second && group.machine.parking.resumed == [first, last])
    var claimed = [group.machine.claim()]
    // The first one is parked and resumed again, and is now the last.
    _ = group.machine.park(first)
    group.machine.resume(first)
    for _ in 0..<3 { claimed.append(group.machine.claim()) }
    #expect(claimed.map { $0?.ticket } == [first, last, first, nil])
    #expect(group.machine.parking.count == 0)
  }
}
