import TestSupport
import Testing
import Uploader

@testable import flow_drills

/// The command line of `flow-drills`.
@Suite(.watched) struct DrillCommandTests {
  @Test(arguments: [
    (["soak", "--files", "0"], "--files 0 is no number from 1 up."),
    (["soak", "--seed", "-1"], "--seed -1 is no number from 0 up."),
    (["soak", "--plant", "nothing"], "--plant nothing is no error that can be planted."),
    (["soak", "--folder", "photos"], "There is no option --folder."), (["crash", "now"], "crash has no options."),
    (["hello"], "There is no drill hello."),
  ])
  func `a wrong command line is told what is wrong`(line: [String], problem: String) throws {
    #expect(throws: UsageError.self) { try DrillCommand(arguments: line) }
    do throws(UsageError) {
      _ = try DrillCommand(arguments: line)
    } catch {
      #expect(error.description.hasPrefix(problem + " ") && error.description.hasSuffix(". See --help."))
    }
  }

  @Test func `help names the drills and their options`() throws {
    #expect(try DrillCommand(arguments: ["crash", "--help"]) == .showHelp)
    for text in ["soak [--files N] [--seed N]", "flow-drills crash", "distributed [--endpoint URL]"] {
      #expect(DrillCommand.help.contains(text))
    }
  }
}
