import Foundation

/// The empty value of a type, such as an empty string or 0; `nil` if the type has none.
func emptyValue<Value>(_ type: Value.Type) -> Value? {
  let value: Any? =
    switch type {
    case let type as any RangeReplaceableCollection.Type: type.init()
    case let type as any SetAlgebra.Type: type.init()
    case let type as any ExpressibleByDictionaryLiteral.Type: empty(type)
    case let type as any AdditiveArithmetic.Type: type.zero
    case is Bool.Type: false
    case is Date.Type: Date.distantPast
    case is URL.Type: URL(fileURLWithPath: "/")
    case is UUID.Type: UUID()
    default: nil
    }
  return value as? Value
}

private func empty<Literal: ExpressibleByDictionaryLiteral>(_ type: Literal.Type) -> Literal { [:] }
