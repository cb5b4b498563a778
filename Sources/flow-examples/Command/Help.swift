extension Command {
  static let help = """
    Examples of OperationFlow, and a tool that uploads files with it.

    flow-examples [--report DIR] [NAME]
        Runs all examples, or those whose names contain NAME. The first uploads 24 files, which it makes itself, to a
        server of its own on this machine; no network is needed. Each is one file of Sources/flow-examples/Programs,
        which needs nothing but the library. Docs/Cookbook.md explains them.

        --report DIR     Where pages and other reports are written; a temporary folder if it isn't given.

    flow-examples report RECORD.jsonl
        Makes the HTML page of a saved record, next to it, and prints the record's brief summary.

    flow-examples upload --folder DIR --to URL [--width N] [--rate N] [--retry N] [--timeout SECONDS] [--allow-failure]
                         [--resume JOURNAL] [--report DIR] [--verbose]
        Uploads your own files: sends each regular file of a folder to a server with an HTTP PUT. Ctrl-C cancels it,
        and says what was uploaded and what was not; a second Ctrl-C ends it at once.

        --folder DIR     The folder. Its files are sent sorted by name. What is no regular file is left out and listed,
                         such as subfolders, links to folders, and FIFOs; what is in subfolders is left out as well.
        --to URL         An http or https address without user, query and fragment, such as http://localhost:8080/photos.
                         A file goes to that address with its name added. What is there under that name is replaced.
        --width N        How many files are sent at once, at least 1; 3 by default.
        --rate N         How many files are begun in a second, at least 1; no limit by default.
        --retry N        How often a file is tried, at least 1; 3 by default. The wait before the second attempt
                         is 0.2 s, and doubles with each further one, up to 10 s; a server's Retry-After counts instead,
                         unless it is longer than 10 minutes. What the server refuses for good is not tried again:
                         answers from 400 to 499 (except 408, 425 and 429), 501 and 505.
        --timeout S      How many seconds an attempt may take, such as 2.5; no limit by default.
        --resume JOURNAL A folder for the upload's journal, made if it is not there. The same command then goes on
                         where it stopped: after Ctrl-C, a crash or a power failure, no file is sent again that is
                         in the journal. An upload that has failed goes on with the file that failed. Once it has
                         succeeded, it says so, and sends nothing. Another folder or server needs another journal.
        --allow-failure  Goes on when a file has failed. Without it, the first that fails stops the upload.
        --report DIR     Writes the record of the upload to a folder as JSON lines, and what is made of it: an HTML page,
                         diagrams for Mermaid and Graphviz, timelines for Perfetto and OpenTelemetry, and metrics.
        --verbose        Prints a summary with each event, in place of a brief one.

    flow-examples receive --folder DIR [--hold-after N] [--fail-first N [--status CODE] [--retry-after TEXT]]
        Stores on this machine what is uploaded to it, and prints its address; Ctrl-C ends it.

        --folder DIR     Where files are stored. It is made if it is not there.
        --hold-after N   Answers the first N files, and leaves the others waiting.
        --fail-first N   Does not store the first N files, but answers with the status.
        --status CODE    What that answer is; 500 by default.
        --retry-after T  The Retry-After of that answer: seconds, or an HTTP date; none by default.

    flow-examples --help
        Prints this text.

    The examples:
    \(Example.all.map { "    \($0.name): \($0.shows)" }.joined(separator: "\n"))

    Results go to standard output, progress and errors to standard error.
    Exit codes: 0 all went well; 1 something failed, be it one file; 2 the command line was not understood;
    130 cancelled by Ctrl-C, 143 by SIGTERM.
    """
}
