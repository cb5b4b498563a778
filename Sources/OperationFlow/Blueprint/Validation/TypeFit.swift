/// Decides from the types alone whether a value of one type can be read as another.
enum TypeFit {
  /// True only if no value of `written` can be read as `read`; what may fit by its contents isn't ruled out.
  static func isImpossible(_ written: Any.Type, as read: Any.Type) -> Bool {
    if written == read { return false }
    let written = stored(written)
    let read = stored(read)
    guard written != read, isPlainValue(written), isPlainValue(read) else { return false }
    if let left = collection(written), let right = collection(read) { return left != right }
    return true
  }

  /// The type as a bucket stores it: optionals are unwrapped.
  private static func stored(_ type: Any.Type) -> Any.Type {
    (type as? any OptionalValue.Type).map { stored($0.wrappedType) } ?? type
  }

  /// The kind of collection that a type is, if it is one.
  private static func collection(_ type: Any.Type) -> Int? {
    [type is any ArrayElements.Type, type is any DictionaryType.Type, type is any SetType.Type].firstIndex(of: true)
  }
}

private protocol DictionaryType {}
extension Dictionary: DictionaryType {}
private protocol SetType {}
extension Set: SetType {}
