import OperationFlow
import Foundation
import Testing

@testable import TestSupport

/// The time limit of all tests together, and the turns of some tests.
@Suite(.watched) struct SuiteWatchTests {
  @Test func `a test that hangs ends the process, which names it and nothing that has ended`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let watch = SuiteWatch(limit: 5, tick: 0.01)
      let ended = watch.begin("has ended")
      _ = watch.begin("hangs for ever")
      watch.end(ended)
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("No test has ended for 0 seconds") && text.contains("\n- hangs for ever\n"))
    #expect(!text.contains("- has ended"))
  }

  @Test func `a turn is given to one at a time`() async {
    let (turn, running) = (Turn(), Counter())
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          await turn.acquire()
          running.enter()
          await Task.yield()
          running.leave()
          turn.pass()
        }
      }
    }
    #expect(running.total == 100 && running.peak == 1)
  }

  /// Reads the sources, since Swift Testing has no trait that applies to every suite.
  @Test func `every outermost suite is watched, and every test is in a suite`() throws {
    let tests = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
    var suiteCount = 0
    for case let file as URL in try #require(files) where file.pathExtension == "swift" {
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      for line in lines where line.hasPrefix("@Suite") || line.hasPrefix("@Test") {
        suiteCount += 1
        let isWatched = ["watched", "heavy", "long"].contains { line.hasPrefix("@Suite(.\($0)") }
        #expect(isWatched, "write @Suite(.watched), .heavy or .long in \(file.lastPathComponent): \(line)")
      }
    }
    #expect(suiteCount > 100)
  }
}
