/// What the taken branches reveal about the string under a name.
enum HeldString: Sendable, Hashable {
  case one(String)
  /// None of these strings: another string, another type, or nothing.
  case none(of: Set<String>)

  /// What is known if it is also this string; `nil` if that is impossible.
  func being(_ value: String) -> HeldString? {
    switch self {
    case .one(let known): known == value ? self : nil
    case .none(let others): others.contains(value) ? nil : .one(value)
    }
  }
}
