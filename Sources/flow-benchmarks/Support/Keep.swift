/// Uses a value, so that the optimizer can't remove it.
@inline(never)
func keep<Value>(_ value: Value) {}
