/// What the taken branches reveal about the value under a name.
enum HeldValue: Sendable, Hashable {
  case one(CaseValue)
  /// None of these values: another one, another type, or nothing.
  case none(of: Set<CaseValue>)

  /// What is known if it is also this value; `nil` if that is impossible.
  func being(_ value: CaseValue) -> HeldValue? {
    switch self {
    case .one(let known): known == value ? self : nil
    case .none(let others): others.contains(value) ? nil : .one(value)
    }
  }
}
