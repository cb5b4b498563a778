import Foundation
import OperationFlow
import OperationFlowStorage

extension FlowStore {
  /// Sends a signal to a durable run, from any process that can open the store.
  ///
  /// ```swift
  /// try await FileFlowStore(folder: folder).send(.approved, Approval(by: "ann"), to: "order-17")
  /// ```
  /// When it returns, the signal survives a power failure. A run that is under way is told within a second, wherever it is;
  /// one that isn't gets it when it is resumed. A signal that comes before its step waits is kept until then.
  ///
  /// - Parameters:
  ///   - signal: The signal that a step of the run waits for, or will.
  ///   - value: Its value.
  ///   - id: What identifies the run in the store.
  ///   - messageID: What identifies this message: if it is sent to the run twice, it arrives once. Unique unless given.
  ///   - beforeItBegins: If true, the signal is kept for a run that has not begun.
  ///   - sealing: Encrypts the value of a sensitive signal, which isn't stored otherwise.
  ///   - clock: The clock of the run, by which a step that is resumed later decides whether the signal came in time.
  /// - Throws: `FlowError` with the code `runNotWaiting` if the run has ended, or has not begun; `missingData` if the signal
  ///   is sensitive and can't be sealed; `valueNotStorable` if the value can't be encoded; `storeFailed` or
  ///   `unreadableJournal` if the store can't keep it; `runInUse` if others don't let go of the mailbox for ten seconds.
  public func send<Value: Codable & Sendable>(
    _ signal: FlowSignal<Value>, _ value: Value, to id: String, messageID: String = UUID().uuidString,
    beforeItBegins: Bool = false, sealing: FlowSealing? = nil, clock: any Clock<Duration> = ContinuousClock()
  ) async throws {
    let message = try SignalMessage(signal, value, id: messageID, at: RunDates(by: clock).now.date, sealing: sealing)
    try await send(message, to: id, beforeItBegins: beforeItBegins)
  }

  func send(_ message: SignalMessage, to id: String, beforeItBegins: Bool) async throws {
    if id.isEmpty { throw FlowError.emptyIdentifier }
    if Mailbox.isReserved(id) { throw FlowError.reservedIdentifier(id) }
    let begun = try await FileWork.perform { try beginning(of: id) }
    if begun == nil, !beforeItBegins { throw FlowError.unknownRun(id) }
    // Before there is a message: an error has to mean that none was sent.
    let bell = MailboxBell(store: self)
    try await bell.ring(for: id)
    try await Mailbox(run: id, store: self).append(Mailbox.Entry(message, begun: begun))
    // Who has come at the first ring may have left before there was a message.
    try? await bell.ring(for: id)
    try? await FileWork.perform { MailboxWatch.shared.tell(id) }
  }

  /// When a run began; `nil` if it has not begun, and an error if it has ended.
  private func beginning(of id: String) throws -> Date? {
    let entries: [Data]
    do { entries = try readJournal(of: id) ?? [] } catch { throw FlowError.storeError(error) }
    guard let first = entries.first else { return nil }
    guard case .begun(let beginning) = try JournalEntry(first) else { throw FlowError.unreadableEntry }
    if entries.count > 1, let last = entries.last, JournalEntry.isEnding(last) { throw FlowError.endedRun(id) }
    return beginning.date
  }
}

extension FlowRun {
  /// Sends a signal to a run that isn't durable.
  ///
  /// A signal that comes before its step waits is kept until then.
  ///
  /// - Parameters:
  ///   - signal: The signal that a step of the run waits for, or will.
  ///   - value: Its value.
  /// - Throws: `FlowError` with the code `runNotWaiting` if the run has ended, or if no step of its flow waits.
  public func send<Value>(_ signal: FlowSignal<Value>, _ value: Value) throws {
    guard let engine, let room = engine.waits as? WaitingRoom else { throw FlowError.waitsForNoSignal }
    room.receive(SignalMessage(signal.name, value, at: engine.now))
  }
}
