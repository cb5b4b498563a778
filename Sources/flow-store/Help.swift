/// The documentation of the command.
enum Help {
  static let text = """
    Lists the durable runs that a FileFlowStore keeps in a folder, and changes them. It needs none of the flows' code.

    flow-store FOLDER list [--waiting | --failed | --unfinished] [--flow NAME] [--json]
        Lists the runs in the order of their ids. It reads the ends of the journals alone.

        --waiting        Only runs of which a step waits for a signal, a time or a date.
        --failed         Only runs that have failed.
        --unfinished     Only runs that have not ended, those included that can't be read.
        --flow NAME      Only runs of the flow with this name.

    flow-store FOLDER show ID [--json]
        Prints the state of a run, its steps and values, and the signals in its mailbox. It reads the whole journal.

    flow-store FOLDER page ID --to FILE
        Writes a page about a run: how it ended and why, a diagram, a timeline, and the data, as far as its journal has them.

    flow-store FOLDER pages [--waiting | --failed | --unfinished] [--flow NAME] [--limit COUNT] --to DIR
        Writes an index of runs, the newest first, and a page about each, into a folder that is made if it isn't there.

        --limit COUNT    How many runs, 1000 unless given.

    flow-store FOLDER send ID SIGNAL JSON [--message ID]
        Sends a signal to a run that has not ended, such as: flow-store runs send order-17 approved '{"by":"ann"}'
        A process that has the run is told within a second; otherwise the run gets the signal when it is resumed.

        --message ID     What identifies the message: sent to the run twice, it arrives once.

    flow-store FOLDER cancel ID
        Cancels a run that has not ended. A process that has the run is told within a second; otherwise the run ends as
        cancelled when it is resumed. Its undos are performed then.

    flow-store FOLDER retry ID
        Lets a run that has failed be resumed where it failed, once the cause is mended. It is unfinished again, and the
        next supervisor, or the next call of run(id:in:), resumes it: what has succeeded isn't done again.

    flow-store FOLDER remove ID [--even-if-unfinished] [--yes]
        Removes a run that has ended. Its id is free then.

        --even-if-unfinished  Also removes a run that has not ended, or can't be read; nothing is undone.
        --yes                 Doesn't ask.

    flow-store FOLDER remove --ended-before DATE [--yes]
        Removes the runs that ended before a date, such as 2026-01-31 (its beginning in UTC) or 2026-01-31T12:00:00Z.

    flow-store FOLDER check [--json]
        Reads every journal and mailbox from beginning to end, names what is damaged, and changes nothing.

    flow-store --help
        Prints this text.

    --json prints JSON in place of text. Control characters in ids and texts are printed as in Swift, such as \\t and
    \\u{1B}; an id may be given like that. Sensitive values are hidden. What a run is sent is
    left in its mailbox; a run that a process has is never changed otherwise.

    Results go to standard output, errors and questions to standard error.
    Exit codes:
      0  The command has done what it was asked.
      1  check has found damage.
      2  The command line was not understood.
      3  There is no such run.
      4  The run has ended, so it can't be sent anything, or cancelled.
      5  The run has not ended, so it isn't removed.
      6  A process has the run.
      7  The folder doesn't exist, or can't be read or written.
      8  The journal or the mailbox of the run is damaged.
      9  The value isn't JSON, or the signal is sensitive, and can be sent only by a program that seals it.
     10  The removal was not confirmed, so nothing was removed.
     11  The run can't be retried: it has not failed, or what it had done was undone.
     12  The file or the folder of --to can't be written.
    """
}
