import OperationFlow

extension Progression {
  /// The name of an enum's case, without what is associated with it; of any other type, the type's name.
  public var stepName: String { enumCaseName(of: self) ?? TypeName.of(Self.self) }

  /// The step's name: records show nothing of what a step holds.
  public var recordDescription: String { stepName }
}
