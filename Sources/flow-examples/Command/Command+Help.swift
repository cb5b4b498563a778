extension Command {
  static let help = """
    Examples of OperationFlow that do real work.

    flow-examples
        Runs all examples, in Flow-iOS's style and in the new one, and prints their summaries. The first uploads
        24 files, which it makes itself, to a server of its own on this machine; no network is needed. Exits with 0
        where everything went as promised.

    flow-examples upload --folder DIR --to URL [--width N] [--allow-failure]
        Uploads your own files: sends each regular file of a folder to a server with an HTTP PUT.

        --folder DIR     The folder. Its files are sent sorted by name; what is in subfolders is left out.
        --to URL         An http or https address without user, query and fragment, such as http://localhost:8080/photos.
                         A file goes to that address with its name added. What is there under that name is replaced.
        --width N        How many files are sent at once, at least 1; 3 if you do not say.
        --allow-failure  Goes on when a file fails. Without it, the first failure stops the upload.

    flow-examples --help
        Prints this text.

    Summaries go to standard output, progress and errors to standard error.
    Exit codes: 0 all went well; 1 something failed, be it one file; 2 the command line was not understood.
    """
}
