import Foundation
import OperationFlow
import OperationFlowStorage

extension FlowStore {
  /// Sends a signal to a durable run, from any process that can open the store.
  ///
  /// ```swift
  /// try await FileFlowStore(folder: folder).send(.approved, Approval(by: "ann"), to: "order-17")
  /// ```
  /// When it returns, the signal survives a power failure. A run that is under way in any process is notified within a
  /// second; any other run gets the signal when it is resumed. A signal that arrives before its step waits is stored
  /// until then. A run can be sent 10,000 signals; its report names the signals that no step had accepted at its end.
  ///
  /// - Parameters:
  ///   - signal: The signal that a step of the run waits for, or will wait for.
  ///   - value: The value of the signal.
  ///   - id: The identifier of the run in the store.
  ///   - messageID: The identifier of this message among those of the signal: a message that is sent to the run twice
  ///     arrives once. Unique unless given.
  ///   - beforeItBegins: If true, the signal is stored for a run that has not begun.
  ///   - sealing: The encryption for the value of a sensitive signal, which isn't stored otherwise. A signal is
  ///     sensitive if the sender, or the flow of a run that has begun, declares it so, or if its name is redacted.
  ///   - clock: The clock of the run, by which a step that is resumed later decides whether the signal was sent in
  ///     time.
  /// - Throws: `FlowError` with the code `runNotWaiting` if the run has ended, or has not begun; `missingData` if the
  ///   signal is sensitive and can't be sealed; `valueNotStorable` if the value can't be encoded; `storeFailed` or
  ///   `unreadableJournal` if the signal can't be stored, or if it is stored and a supervisor can't be notified, as the
  ///   error then reports; `runInUse` if others have the mailbox open for ten seconds.
  public func send<Value: Codable & Sendable>(
    _ signal: FlowSignal<Value>, _ value: Value, to id: String, messageID: String = UUID().uuidString,
    beforeItBegins: Bool = false, sealing: FlowSealing? = nil, clock: any Clock<Duration> = ContinuousClock()
  ) async throws {
    if id.isEmpty { throw FlowError.emptyIdentifier }
    if Mailbox.isReserved(id) { throw FlowError.reservedIdentifier(id) }
    let beginning = try await FileWork.perform { try self.beginning(of: id, unlessEnded: .endedRun(id)) }
    if beginning == nil, !beforeItBegins { throw FlowError.unknownRun(id) }
    let message = try SignalMessage(
      signal, value, id: messageID, at: RunDates(by: clock).now.date,
      isSensitive: beginning?.hiddenSignals.contains(signal.name) ?? false, sealing: sealing)
    try await send(message, to: id, begun: beginning?.date)
  }

  /// Cancels a durable run, from any process that can open the store.
  ///
  /// When it returns, the cancellation survives a power failure. A run that is under way in any process is notified
  /// within a second. Any other run ends as cancelled when it is resumed, with its undos. A run that ends before that
  /// isn't cancelled.
  ///
  /// - Parameter id: The identifier of the run.
  /// - Throws: `FlowError` with the code `unknownRun` if no such run has begun; `runNotWaiting` if the run has ended;
  ///   `storeFailed` or `unreadableJournal` if the cancellation can't be stored; `runInUse` if others have the mailbox
  ///   open for ten seconds.
  public func cancel(_ id: String) async throws {
    if Mailbox.isReserved(id) { throw FlowError.reservedIdentifier(id) }
    if id.isEmpty { throw FlowError.noRun(id) }
    guard
      let beginning = try await FileWork.perform({
        try self.beginning(of: id, unlessEnded: .endedBeforeCancellation(id))
      })
    else { throw FlowError.noRun(id) }
    let message = SignalMessage(cancelling: UUID().uuidString, at: RunDates(by: ContinuousClock()).now.date)
    try await send(message, to: id, begun: beginning.date)
  }

  /// Sends a signal whose value is JSON, without the type of the value in the flow's code.
  ///
  /// The caller has checked that the value is JSON. A sensitive signal is refused, because it can't be sealed.
  package func send(_ signal: String, json: Data, to id: String, messageID: String = UUID().uuidString) async throws {
    if id.isEmpty { throw FlowError.emptyIdentifier }
    if Mailbox.isReserved(id) { throw FlowError.reservedIdentifier(id) }
    guard let beginning = try await FileWork.perform({ try self.beginning(of: id, unlessEnded: .endedRun(id)) }) else {
      throw FlowError.unknownRun(id)
    }
    if beginning.hiddenSignals.contains(signal) || FlowRedaction.standard.redacts(signal) {
      throw FlowError.unsealedSignal(signal)
    }
    let message = SignalMessage(
      signal, json: json, id: messageID, at: RunDates(by: ContinuousClock()).now.date)
    try await send(message, to: id, begun: beginning.date)
  }

  private func send(_ message: SignalMessage, to id: String, begun: Date?) async throws {
    // Ring also before there is a message: if that fails, no message may have been sent.
    let bell = MailboxBell(store: self)
    try await bell.ring(for: id)
    try await Mailbox(run: id, store: self).append(message, begun: begun)
    try? await FileWork.perform { MailboxWatch.shared.tell(id) }
    // A supervisor that heard the first ring may have looked before there was a message.
    do { try await bell.ring(for: id) } catch {
      throw FlowError.unnoticedSignal(message.name, message.id, to: id, error)
    }
  }

  /// Returns the beginning of a run; `nil` if the run has not begun, and throws an error if it has ended.
  private func beginning(of id: String, unlessEnded error: FlowError) throws -> JournalBeginning? {
    guard let ends = try ends(of: id), let first = ends.first else { return nil }
    guard case .begun(let beginning) = try JournalEntry(first) else { throw FlowError.unreadableEntry }
    if ends.isEnded { throw error }
    return beginning
  }
}

extension FlowRun {
  /// Sends a signal to a run that isn't durable.
  ///
  /// A signal that arrives before its step waits is stored until then.
  ///
  /// - Parameters:
  ///   - signal: The signal that a step of the run waits for, or will wait for.
  ///   - value: The value of the signal.
  /// - Throws: `FlowError` with the code `runNotWaiting` if the run has ended, or if no step of its flow waits.
  public func send<Value>(_ signal: FlowSignal<Value>, _ value: Value) throws {
    guard let engine, let room = engine.waits as? WaitingRoom else { throw FlowError.waitsForNoSignal }
    room.receive(SignalMessage(signal.name, value, at: engine.now))
  }
}
