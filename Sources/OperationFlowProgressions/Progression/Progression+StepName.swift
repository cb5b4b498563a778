import OperationFlow

extension Progression {
  /// The name of an enum's case, without its associated values; for any other type, the type's name.
  public var stepName: String { enumCaseName(of: self) ?? TypeName.of(Self.self) }

  /// The step's name: records never show a step's values.
  public var recordDescription: String { stepName }
}
