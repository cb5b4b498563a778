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
  /// one that isn't gets it when it is resumed. A signal that comes before its step waits is kept until then. A run can be
  /// sent 10,000 signals; its report names those that no step has taken at its end.
  ///
  /// - Parameters:
  ///   - signal: The signal that a step of the run waits for, or will.
  ///   - value: Its value.
  ///   - id: What identifies the run in the store.
  ///   - messageID: What identifies this message among those of the signal: sent to the run twice, it arrives once. Unique
  ///     unless given.
  ///   - beforeItBegins: If true, the signal is kept for a run that has not begun.
  ///   - sealing: Encrypts the value of a sensitive signal, which isn't stored otherwise: one that is declared so, by the
  ///     sender or by the flow of a run that has begun, or whose name is redacted.
  ///   - clock: The clock of the run, by which a step that is resumed later decides whether the signal came in time.
  /// - Throws: `FlowError` with the code `runNotWaiting` if the run has ended, or has not begun; `missingData` if the signal
  ///   is sensitive and can't be sealed; `valueNotStorable` if the value can't be encoded; `storeFailed` or
  ///   `unreadableJournal` if the store can't keep it, or if the signal is kept and a supervisor can't be notified, which the
  ///   error says; `runInUse` if others don't let go of the mailbox for ten seconds.
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
  /// When it returns, the cancellation survives a power failure. A run that is under way is told within a second, wherever it
  /// is; one that isn't ends as cancelled when it is resumed, with its undos. A run that ends before that isn't cancelled.
  ///
  /// - Parameter id: The identifier of the run.
  /// - Throws: `FlowError` with the code `unknownRun` if no such run has begun; `runNotWaiting` if it has ended;
  ///   `storeFailed` or `unreadableJournal` if the store can't keep the cancellation; `runInUse` if others don't let go of
  ///   the mailbox for ten seconds.
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

  /// Sends a signal whose value is JSON, without the type that the flow's code has for it.
  ///
  /// The caller has checked that it is JSON. A sensitive signal is refused, because it can't be sealed.
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
    // Before there is a message: an error has to mean that none was sent.
    let bell = MailboxBell(store: self)
    try await bell.ring(for: id)
    try await Mailbox(run: id, store: self).append(message, begun: begun)
    try? await FileWork.perform { MailboxWatch.shared.tell(id) }
    // Who has come at the first ring may have left before there was a message.
    do { try await bell.ring(for: id) } catch {
      throw FlowError.unnoticedSignal(message.name, message.id, to: id, error)
    }
  }

  /// How a run began; `nil` if it has not begun, and an error if it has ended.
  private func beginning(of id: String, unlessEnded error: FlowError) throws -> JournalBeginning? {
    let ends: JournalEnds?
    do { ends = try self.ends(of: id) } catch { throw FlowError.storeError(error) }
    guard let ends, let first = ends.first else { return nil }
    guard case .begun(let beginning) = try JournalEntry(first) else { throw FlowError.unreadableEntry }
    if ends.isEnded { throw error }
    return beginning
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
