import Foundation
import OperationFlow
import OperationFlowStorage

// The signals of other processes, which arrive in the run's mailbox in its store.
extension WaitingRoom {
  /// Reads the mailbox before the run begins or continues.
  ///
  /// - Throws: The error for which the run is left to be resumed, because the messages sent in time aren't known.
  func openMailbox() throws(FlowError) {
    do { try readEntries() } catch { throw state.withLock { $0.link?.mailbox.unreadable(error) } ?? .storeError(error) }
  }

  /// Looks for new messages in the mailbox, unless it could not be read just now.
  ///
  /// While the mailbox of a run can't be read, a run that waits for no signal continues, and misses at most a
  /// cancellation.
  func lookAtMailbox() {
    guard isListening else { return (try? readEntries()) ?? () }
    let trouble = state.withLock { $0.trouble }
    if trouble.failureCount == 0 || link?.engine.map({ trouble.isDue(at: $0.time) }) == true { readMailbox() }
  }

  /// Reads new messages, and ends the steps whose time is over; call it on a thread that may wait for files.
  func readMailbox() {
    // The steps whose time was over before the mailbox is read. Later messages are too late for them.
    let overdue = state.withLock { $0.overdue }
    do { try readEntries() } catch { return meet(error) }
    let engine = state.withLock { state in
      state.trouble.end()
      state.overdue.removeAll(where: overdue.contains)
      return state.link?.engine
    }
    if let engine, !overdue.isEmpty { timesAreOver(overdue, engine) }
  }

  /// Handles a mailbox that can't be read: it is looked at again later, or the run is left.
  private func meet(_ error: any Error) {
    guard let link, let engine = link.engine else { return }
    let now = engine.time
    switch state.withLock({ $0.trouble.addFailure(error, at: now) }) {
    case .waits(let isFirst):
      if isFirst { engine.warn("its mailbox can't be read, and is retried: \(ValueText.describe(error: error))") }
    case .leaves: leaveRun(link.mailbox.unreadable(error), link)
    }
  }

  private var link: Link? { state.withLock { $0.link } }

  private func readEntries() throws {
    guard let (link, place) = state.withLock({ state in state.link.map { ($0, state.place) } }) else { return }
    guard let (entries, end) = try link.mailbox.entries(after: place) else { return }
    let own = entries.filter { $0.begun == nil || $0.begun == link.begun }.map(\.message)
    let received = own.filter { !$0.isCancellation }
    let isCancelled = received.count < own.count
    let handed = state.withLock { state in
      if isCancelled { state.hasCancellation = true }
      for message in received { state.waiters.add(message) }
      state.place = end
      return state.handOut()
    }
    conceal(received.filter { $0.isClear && link.hiddenSignals.contains($0.name) }, link)
    hand(handed)
    if isCancelled { link.engine?.cancel() }
  }

  /// Encrypts messages in the mailbox that a sender left there in clear text, although the run's flow hides their
  /// signals.
  private func conceal(_ messages: [SignalMessage], _ link: Link) {
    guard let name = messages.first?.name else { return }
    guard let sealing = link.journal.sealing else {
      let text =
        "the sensitive signal \(ValueText.name(name)) was sent in clear text, which its mailbox has until the run ends"
      link.engine?.warn(text)
      return
    }
    let sealer = Task { [weak engine = link.engine] in
      do { try await link.mailbox.seal(link.hiddenSignals, with: sealing) } catch {
        let problem = ValueText.describe(error: FlowError.storeError(error))
        engine?.warn("the sensitive signal \(ValueText.name(name)) stays in its mailbox in clear text: \(problem)")
      }
    }
    state.withLock { $0.sealers.append(sealer) }
  }

  // MARK: The end

  /// Leaves the run to be resumed, because something that it needs can't be read, decrypted or decoded.
  func leaveRun(_ error: FlowError, _ link: Link) {
    guard link.journal.endingFailure == nil else { return }
    link.journal.flush()
    link.engine?.leave(error, link.journal)
  }

  /// True if there was anything in the mailbox.
  var hasRead: Bool { state.withLock { $0.place != .start } }

  /// Reads the messages that no step will accept any longer, and removes the mailbox of a run that has ended.
  func emptyMailbox() async {
    for sealer in state.withLock({ $0.sealers }) { await sealer.value }
    try? await FileWork.perform { [self] in
      try? readEntries()
      let (link, isThere) = state.withLock { ($0.link, $0.place != .start) }
      if isThere { link?.mailbox.remove() }
    }
  }

  var warningAtEnd: String? {
    let names = state.withLock { $0.waiters.untaken }
    if names.isEmpty { return nil }
    let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +).sorted { $0.key < $1.key }
    let shown = counts.prefix(10).map { ValueText.name($0.key) + ($0.value > 1 ? " (\($0.value) times)" : "") }
    return "no step has taken what it was sent: \(shown.joined(separator: ", "))\(counts.count > 10 ? ", …" : "")"
  }
}
