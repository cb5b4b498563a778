/// Uses a value in the optimizer's eyes.
@inline(never)
func keep<Value>(_ value: Value) {}
