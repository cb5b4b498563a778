extension Command {
  static let help = """
    Examples of OperationFlow that do real work.

    flow-examples [--verbose] [EXAMPLE]
        Runs all examples, in Flow-iOS's style and in the new one, and says what failed in them. The first uploads
        24 files, which it makes itself, to a server of its own on this machine; no network is needed. Exits with 0
        if everything went as promised.

        EXAMPLE          Runs the examples whose names contain this, and prints their summaries: flow-examples login
        --verbose        Prints the summaries of all.

    flow-examples upload --folder DIR --to URL [--width N] [--allow-failure]
        Uploads your own files: sends each regular file of a folder to a server with an HTTP PUT. Ctrl-C cancels it,
        and says what was uploaded and what was not; a second Ctrl-C ends it at once.

        --folder DIR     The folder. Its files are sent sorted by name. What is no regular file is left out and listed,
                         such as subfolders, links to folders, and FIFOs; what is in subfolders is left out as well.
        --to URL         An http or https address without user, query and fragment, such as http://localhost:8080/photos.
                         A file goes to that address with its name added. What is there under that name is replaced.
        --width N        How many files are sent at once, at least 1; 3 if you do not say.
        --allow-failure  Goes on when a file fails. Without it, the first failure stops the upload.

    flow-examples receive --folder DIR [--hold-after N]
        Stores on this machine what is uploaded to it, and prints its address; Ctrl-C ends it.

        --folder DIR     Where files are stored. It is made if it is not there.
        --hold-after N   Answers the first N files, and leaves the others waiting.

    flow-examples --help
        Prints this text.

    The examples:
        \(Example.all.map(\.name).joined(separator: "\n    "))

    Results go to standard output, progress and errors to standard error.
    Exit codes: 0 all went well; 1 something failed, be it one file; 2 the command line was not understood;
    130 cancelled by Ctrl-C, 143 by SIGTERM.
    """
}
