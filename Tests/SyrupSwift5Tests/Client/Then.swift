/// The closure that the operators call last, as code in Swift 5 mode declares it.
typealias Then<Value> = (Value) -> Void
typealias ThenBoth<First, Second> = (First, Second) -> Void
