import Foundation
import Uploader

/// A valid command line of the drills.
enum DrillCommand: Hashable, Sendable {
  case soak(SoakOptions)
  case crash
  case distributed(DistributedOptions)
  /// Uploads a folder as `flow-examples upload` does, for the drill that kills this process.
  case upload(UploadOptions)
  case showHelp

  static let help = """
    Drills of the uploader of flow-drills: faults, kills, and several machines.

    flow-drills soak [--files N] [--seed N] [--width N] [--timeout SECONDS] [--plant ERROR]
        Uploads many small files, which it makes itself, to a server of its own on this machine that makes trouble: it
        fails, stalls, cuts connections, asks to wait, refuses some files for good, and restarts. Compares in the end
        whether each file is stored as it was, or listed as failed, and exits with 1 if one is not.

        --files N        How many files; 2000 by default.
        --seed N         What the files and the trouble are made from; the same number makes the same. 1 by default.
        --width N        How many files are sent at once, at least 1; 16 by default.
        --timeout S      How many seconds an attempt may take; 0.3 by default.
        --plant ERROR    Makes an error on purpose, which has to be found: corrupt or lose a file, accept what should be
                         refused, insist on what was refused, or hurry when there is a Retry-After.

    flow-drills crash
        Shows an upload that survives: starts one of 200 files as a process of its own, kills it in the middle with
        SIGKILL, and again, resumes it, and compares in the end. Exits with 1 if a file was sent again that was in the
        journal, if the journal lacks more than was under way, or if a file is not there.

    flow-drills distributed [--endpoint URL] [--role ARN]
        Uploads 60 files as a state machine of AWS Step Functions: deploys it, starts three worker processes, kills one of
        them with SIGKILL in the middle, and compares in the end. Exits with 1 if a file is not there.

        --endpoint URL   An interpreter of state machines, such as LocalStack on this machine; AWS itself by default.
        --role ARN       What the service may do for the state machine; AWS needs one.

    Exit codes: 0 all went well; 1 something failed; 2 the command line was not understood.
    """

  init(arguments: [String]) throws(UsageError) {
    let rest = Array(arguments.dropFirst())
    guard !arguments.contains("--help"), !arguments.contains("-h") else {
      self = .showHelp
      return
    }
    switch arguments.first {
    case "soak": self = .soak(try SoakOptions(arguments: rest))
    case "distributed": self = .distributed(try DistributedOptions(arguments: rest))
    case "upload": self = .upload(try UploadOptions(arguments: rest))
    case "crash":
      guard rest.isEmpty else { throw UsageError("crash has no options.", remedy: "Write flow-drills crash.") }
      self = .crash
    default:
      throw UsageError("There is no drill \(arguments.first ?? "").", remedy: "Drills are soak, crash, distributed.")
    }
  }

  /// Runs the drill; returns the exit code.
  func run() async -> Int32 {
    switch self {
    case .soak(let options): return await options.soak()
    case .crash: return await CrashExample.run()
    case .distributed(let options): return await DistributedExample.run(options)
    case .upload(let options): return await options.upload()
    case .showHelp:
      print(Self.help)
      return 0
    }
  }
}
