extension Progression {
  /// The name of an enum's case, without what is associated with it; of any other type, the type's name.
  public var stepName: String { enumCaseName(of: self) ?? TypeName.of(Self.self) }
}
