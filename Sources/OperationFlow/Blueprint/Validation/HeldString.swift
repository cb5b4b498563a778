/// What is known of the string under a name, from the branches that were taken.
enum HeldString: Sendable, Hashable {
  case one(String)
  /// None of these: another string, another type, or nothing.
  case none(of: Set<String>)

  /// What is known if it is also the string; `nil` if it can't be.
  func being(_ value: String) -> HeldString? {
    switch self {
    case .one(let known): known == value ? self : nil
    case .none(let others): others.contains(value) ? nil : .one(value)
    }
  }
}
