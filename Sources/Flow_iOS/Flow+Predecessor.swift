import OperationFlow

// Functions with the predecessor's parameters and no others, so that they can be handed around as values and be what a
// user's own protocol asks for.

extension Flow {
  // MARK: Steps

  /// Adds one operation, which can run once: with it the flow can be started once.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @discardableResult
  public func add(operation: FlowOperation, flowCase: FlowCase? = nil) -> Flow {
    addStep(operation, traits: [], flowCase: flowCase)
  }

  /// Adds one operation, which can run once: with it the flow can be started once.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - traits: Its name, its weight in the progress, the keys that it reads and writes beside those it declares.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @_disfavoredOverload @discardableResult
  public func add(operation: FlowOperation, _ traits: StepTrait<Once>..., flowCase: FlowCase? = nil) -> Flow {
    addStep(operation, traits: traits, flowCase: flowCase)
  }

  /// Adds a group: one step that runs an operation for each item that its dispatcher finds.
  ///
  /// - Parameters:
  ///   - operationCreator: Makes an operation for each item.
  ///   - dispatcher: Finds the items, says how many run at once, and collects the outputs.
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
  ///   - operationCreator: Makes an operation for each item.
  ///   - dispatcher: Finds the items, says how many run at once, and collects the outputs.
  ///   - traits: The group's name and weight, and the keys that its items read and write beside item and output.
  ///   - flowCase: Makes it the first of a branch, taken when the key holds the string.
  /// - Returns: The flow.
  @_disfavoredOverload @discardableResult
  public func addGrouped(
    operationCreator: any FlowOperationCreator.Type, dispatcher: any FlowGroupDispatcher,
    _ traits: StepTrait<Repeatable>..., flowCase: FlowCase? = nil
  ) -> Flow {
    addGroup(operationCreator: operationCreator, dispatcher: dispatcher, traits: traits, flowCase: flowCase)
  }

  // MARK: Running

  /// Starts the flow, and returns at once; see ``start(with:)``.
  ///
  /// - Returns: The handle to the run.
  @discardableResult
  public func start() -> FlowRun {
    startRun(with: [:])
  }

  /// Starts the flow, for callers that take a `() -> Void`, such as `DispatchQueue.main.async(execute: flow.start)`.
  @_disfavoredOverload
  public func start() {
    _ = startRun(with: [:])
  }

  /// Starts the flow with values over what it was set to begin with, and returns at once.
  ///
  /// A flow whose operations were all added as factories can be started again, and several times at once. One that
  /// holds an operation that runs, or has run, fails with ``FlowError/Code/operationUsedTwice``.
  ///
  /// - Parameter data: What the run's bucket holds at first, over what the flow was set to begin with.
  /// - Returns: The handle to the run.
  @_disfavoredOverload @discardableResult
  public func start(with data: [String: any Sendable] = [:]) -> FlowRun {
    startRun(with: data)
  }

  /// Starts the flow with typed data, and returns at once; see ``start(with:)``.
  ///
  /// - Parameter change: Changes what the run's bucket holds at first; it begins with what the flow was set to begin with.
  /// - Returns: The handle to the run.
  /// - Throws: What `change` throws; then nothing is started.
  @_disfavoredOverload @discardableResult
  public func start(_ change: (inout FlowData) throws -> Void) rethrows -> FlowRun {
    try startRun(changing: change)
  }

  // MARK: Blocks

  /// Sets a block that is called on the main actor and has returned before the first operation starts.
  ///
  /// - Parameter block: The block, such as a method, or a `(Flow) -> Void` that is kept in a variable.
  /// - Returns: The flow.
  @_disfavoredOverload @discardableResult
  public func setWillStartBlock(block: @escaping (Flow) -> Void) -> Flow {
    let block = MainActorBlock(block)
    return setWillStartBlock { flow in block(flow) }
  }

  /// Sets a block that is called on the main actor, once a run, when everything that was started has ended.
  ///
  /// - Parameter block: The block, such as a method, or a `(Flow) -> Void` that is kept in a variable.
  /// - Returns: The flow.
  @_disfavoredOverload @discardableResult
  public func setDidFinishBlock(block: @escaping (Flow) -> Void) -> Flow {
    let block = MainActorBlock(block)
    return setDidFinishBlock { flow in block(flow) }
  }

  // MARK: Log and summary

  /// Adds a line to the record of the run that is under way, or else to the head of the next run's.
  ///
  /// - Parameter message: The line; a summary shows it behind the time and the flow's name.
  public func log(message: String) {
    addLine(message, level: .info)
  }

  /// Adds a line to the record of the run that is under way, or else to the head of the next run's.
  ///
  /// - Parameters:
  ///   - message: The line; a summary shows it behind the time and the flow's name.
  ///   - level: How important it is.
  @_disfavoredOverload
  public func log(message: String, level: FlowLogLevel = .info) {
    addLine(message, level: level)
  }

  /// The summary of the last run: a line for each event, each `TIME [WHO] WHAT`.
  ///
  /// It may be asked for while the run is under way, and then says that the flow has not finished.
  ///
  /// - Returns: The summary's text.
  public func generateSummary() -> String {
    summary(style: .standard)
  }

  /// The summary of the last run: a line for each event, each `TIME [WHO] WHAT`.
  ///
  /// - Parameter style: How times are shown, and what is listed.
  /// - Returns: The summary's text.
  @_disfavoredOverload
  public func generateSummary(style: FlowSummaryStyle = .standard) -> String {
    summary(style: style)
  }
}
