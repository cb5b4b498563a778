import OperationFlow

// These functions have exactly the parameters that they have in Flow-iOS, so that they can be passed as values and
// fulfil the requirements of a user's own protocol.

extension Flow {
  // MARK: Steps

  /// Adds an operation object, which can run only once: you can start a flow that contains one only once.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - flowCase: Starts a branch that runs if the key equals the value.
  /// - Returns: The flow.
  @discardableResult
  public func add(operation: FlowOperation, flowCase: FlowCase? = nil) -> Flow {
    addStep(operation, traits: [], flowCase: flowCase)
  }

  /// Adds an operation object, which can run only once: you can start a flow that contains one only once.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - traits: The step's name and weight, and the keys that it reads and writes besides those that its operation
  ///     declares.
  ///   - flowCase: Starts a branch that runs if the key equals the value.
  /// - Returns: The flow.
  @_disfavoredOverload @discardableResult
  public func add(operation: FlowOperation, _ traits: StepTrait<FlowStep.Once>..., flowCase: FlowCase? = nil) -> Flow {
    addStep(operation, traits: traits, flowCase: flowCase)
  }

  /// Adds a group: one step that runs an operation for each item that its dispatcher finds.
  ///
  /// - Parameters:
  ///   - operationCreator: The type that creates an operation for each item.
  ///   - dispatcher: The rules for finding the items, for their number at once, and for collecting the outputs.
  /// - Returns: The flow.
  @discardableResult
  public func addGrouped(
    operationCreator: any FlowOperationCreator.Type, dispatcher: any FlowGroupDispatcher
  ) -> Flow {
    addGroup(operationCreator: operationCreator, dispatcher: dispatcher, traits: [], flowCase: nil)
  }

  /// Adds a group: one step that runs an operation for each item that its dispatcher finds.
  ///
  /// - Parameters:
  ///   - operationCreator: The type that creates an operation for each item.
  ///   - dispatcher: The rules for finding the items, for their number at once, and for collecting the outputs.
  ///   - traits: The group's name and weight, and the keys that its items read and write besides item and output.
  ///   - flowCase: Starts a branch that runs if the key equals the value.
  /// - Returns: The flow.
  @_disfavoredOverload @discardableResult
  public func addGrouped(
    operationCreator: any FlowOperationCreator.Type, dispatcher: any FlowGroupDispatcher,
    _ traits: StepTrait<FlowStep.Grouped<any Sendable>>..., flowCase: FlowCase? = nil
  ) -> Flow {
    addGroup(operationCreator: operationCreator, dispatcher: dispatcher, traits: traits, flowCase: flowCase)
  }

  // MARK: Running

  /// Starts the flow and returns immediately; see ``start(with:)``.
  ///
  /// - Returns: The handle to the run.
  @discardableResult
  public func start() -> FlowRun {
    startRun(with: startingData)
  }

  /// Starts the flow, for callers that need a `() -> Void`, such as `DispatchQueue.main.async(execute: flow.start)`.
  @_disfavoredOverload
  public func start() {
    _ = startRun(with: startingData)
  }

  /// Starts the flow with values that override those of the flow, and returns immediately.
  ///
  /// You can start a flow again, even several times at once, if all of its operations were added as factories. A flow
  /// that contains an operation that runs, or has run, fails with ``FlowError/Code/operationUsedTwice``.
  ///
  /// - Parameter data: Values for the start of the run's bucket; they override those of the flow.
  /// - Returns: The handle to the run.
  @_disfavoredOverload @discardableResult
  public func start(with data: [String: any Sendable] = [:]) -> FlowRun {
    startRun(with: startingData.merging(data))
  }

  /// Starts the flow with typed data and returns immediately; see ``start(with:)``.
  ///
  /// - Parameter change: A function that changes the values for the start of the run's bucket, which are those of the
  ///   flow.
  /// - Returns: The handle to the run.
  /// - Throws: The error that `change` throws; nothing is started then.
  @_disfavoredOverload @discardableResult
  public func start(_ change: (inout FlowData) throws -> Void) rethrows -> FlowRun {
    startRun(with: try startingData.changed(by: change))
  }

  // MARK: Blocks

  /// Sets a block that is called on the main actor and returns before the first operation starts.
  ///
  /// - Parameter block: The block, such as a method, or a `(Flow) -> Void` that is stored in a variable.
  /// - Returns: The flow.
  @_disfavoredOverload @discardableResult
  public func setWillStartBlock(block: @escaping (Flow) -> Void) -> Flow {
    let block = MainActorBlock(block)
    return setWillStartBlock { flow in block(flow) }
  }

  /// Sets a block that is called on the main actor once per run, when everything that was started has ended.
  ///
  /// - Parameter block: The block, such as a method, or a `(Flow) -> Void` that is stored in a variable.
  /// - Returns: The flow.
  @_disfavoredOverload @discardableResult
  public func setDidFinishBlock(block: @escaping (Flow) -> Void) -> Flow {
    let block = MainActorBlock(block)
    return setDidFinishBlock { flow in block(flow) }
  }

  // MARK: Log and summary

  /// Adds a line to the record of the run that is under way, or to the start of the next run's record.
  ///
  /// - Parameter message: The line; a summary shows it after the time and the flow's name.
  public func log(message: String) {
    addLine(message, level: .info)
  }

  /// Adds a line to the record of the run that is under way, or to the start of the next run's record.
  ///
  /// - Parameters:
  ///   - message: The line; a summary shows it after the time and the flow's name.
  ///   - level: The importance of the line.
  @_disfavoredOverload
  public func log(message: String, level: FlowLogLevel = .info) {
    addLine(message, level: level)
  }

  /// Returns the summary of the last run: a line `TIME [WHO] WHAT` for each event.
  ///
  /// You can call this while the run is under way; the summary is then marked as not finished.
  ///
  /// - Returns: The summary's text.
  public func generateSummary() -> String {
    record.summary(style: .events)
  }

  /// Returns the summary of the last run: a line `TIME [WHO] WHAT` for each event.
  ///
  /// - Parameter style: The form of the summary, and of its times.
  /// - Returns: The summary's text.
  @_disfavoredOverload
  public func generateSummary(style: FlowSummaryStyle = .events) -> String {
    record.summary(style: style)
  }
}
