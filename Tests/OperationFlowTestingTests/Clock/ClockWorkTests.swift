import Dispatch
import TestSupport
import Testing

@testable import OperationFlowTesting

@Suite(.watched) struct ClockWorkTests {
  @Test func `a main queue that is busy is waited for as long as it takes, and that is said`() async {
    let (mainQueue, wasSaid, isOver) = (DispatchQueue(label: "main"), Signal(), Signal())
    let work = ClockWork(mainQueue: mainQueue, patience: .milliseconds(1)) { wasSaid.fire() }
    mainQueue.suspend()
    let isServed = Signal()
    mainQueue.async { isServed.fire() }
    work.afterMoment {
      #expect(isServed.isOn)
      isOver.fire()
    }
    await wasSaid.wait()
    #expect(!isOver.isOn)
    mainQueue.resume()
    await isOver.wait()
  }
}
