import TestSupport
import Testing
import Uploader

@testable import flow_examples

/// The command line of `flow-examples`: the commands that it understands, and the errors of others.
@Suite(.watched) struct CommandTests {
  private static let upload = ["upload", "--folder", "photos", "--to", "http://127.0.0.1:1/"]

  private static let refusals: [(line: [String], problem: String)] = [
    (upload + ["--retry"], "--retry has no value."), (upload + ["--resume", ""], "--resume has no value."),
    (upload + ["--rate", "1", "--rate", "2"], "--rate is given twice."),
    (["upload", "--folder", "photos", "--to", "nonsense"], "nonsense is no http or https address."),
    (["upload", "--folder", "photos", "--to", "ftp://host/"], "ftp://host/ is no http or https address."),
    (["upload", "--folder", "photos"], "No server is given."),
    (["upload", "--to", "http://host/"], "No folder is given."),
    (["upload", "--frobnicate"], "There is no option --frobnicate."),
    (["fetch"], "There is no command and no example fetch."), (["--quiet"], "There is no option --quiet."),
    (["--report"], "--report has no folder."), (["hello", "--report", "--verbose"], "--report has no folder."),
    (["hello", "--verbose"], "There is no option --verbose."),
    (["report"], "report takes one saved record."),
    (["receive"], "No folder is given."),
    (["receive", "--folder", "photos", "--status", "99"], "--status 99 is no status from 200 to 599."),
    (["receive", "--folder", "photos", "--hold-after", "many"], "--hold-after many is no number from 0 up."),
  ]

  /// Returns the error of a command line that isn't understood.
  private func refusal(of line: [String]) -> String? {
    do throws(UsageError) {
      _ = try Command(arguments: line)
      return nil
    } catch {
      return error.description
    }
  }

  @Test(arguments: refusals)
  func `a wrong command line is told what is wrong, what to write, and where to read on`(
    line: [String], problem: String
  ) throws {
    let text = try #require(refusal(of: line))
    #expect(text.hasPrefix(problem + " ") && text.hasSuffix(". See --help."))
  }

  @Test(arguments: ["--width", "--retry", "--rate"], ["0", "-1", "1.5", "many"])
  func `what counts is a whole number from 1 up`(option: String, value: String) throws {
    let text = try #require(refusal(of: Self.upload + [option, value]))
    #expect(text.hasPrefix("\(option) \(value) is no number from 1 up. "))
  }

  @Test(arguments: ["0", "-1", "1e9", "nan", "soon"])
  func `a timeout is at least a millisecond and at most a year`(value: String) throws {
    let text = try #require(refusal(of: Self.upload + ["--timeout", value]))
    #expect(text.hasPrefix("--timeout \(value) is no number of seconds from 0.001 up. "))
  }

  @Test func `an address with a user is refused without a word of it`() throws {
    let text = try #require(refusal(of: ["upload", "--folder", "photos", "--to", "http://me:secret@127.0.0.1/"]))
    #expect(text.hasPrefix("The address holds a user, a query or a fragment. ") && !text.contains("secret"))
  }

  @Test(arguments: [
    ([], Example.all.map(\.name)), (["hello"], ["hello"]), (["Flow", "iOS"], ["flow-ios-style"]),
    (["upload"], ["upload"]), (["upload", "--report", "DIR"], ["upload"]), (["--report", "DIR", "undo"], ["undo"]),
    (["with"], ["with-a-task-group", "with-a-flow"]),
  ])
  func `all examples run, or the one with a name, or those whose names contain a text`(line: [String], names: [String])
    throws
  {
    #expect(try Command(arguments: line) == .runExamples(names))
  }

  @Test(arguments: [["--help"], ["-h"], ["help"], ["upload", "--help"]])
  func `help is shown wherever it is asked for`(line: [String]) throws {
    #expect(try Command(arguments: line) == .showHelp)
  }

  @Test(arguments: [
    "upload --folder DIR --to URL [--width N] [--rate N] [--retry N] [--timeout SECONDS] [--allow-failure]",
    "receive --folder DIR [--hold-after N]", "flow-ios-style: ",
    "subfolders", "HTTP PUT", "Exit codes: 0",
  ])
  func `help tells the options, the examples, and what is sent`(text: String) {
    #expect(Command.help.contains(text))
  }
}
