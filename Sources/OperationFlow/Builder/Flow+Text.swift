extension Flow: CustomStringConvertible {
  /// The flow's name, and a line for each step and branch, as its blueprint shows them.
  public var description: String { blueprint.description }
}
