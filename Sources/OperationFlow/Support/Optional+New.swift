extension Optional {
  /// The value; if there is none, a new one, which is kept.
  mutating func orNew(_ make: @autoclosure () -> Wrapped) -> Wrapped {
    let value = self ?? make()
    self = value
    return value
  }

  /// The value, or a default, which a change of it stores.
  subscript(default value: @autoclosure () -> Wrapped) -> Wrapped {
    get { self ?? value() }
    set { self = newValue }
  }
}
