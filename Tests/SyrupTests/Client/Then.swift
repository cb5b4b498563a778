/// The closure that the operators call last, as code in Swift 6 mode declares it.
typealias Then<Value> = @Sendable (Value) -> Void
typealias ThenBoth<First, Second> = @Sendable (First, Second) -> Void
