// Inputs and outputs that an operation can't declare so.

func outputsThatAreNotOptional() {
  final class NamedByProperty: FlowOperation, @unchecked Sendable {
    @FlowOutput var n: Int  // error: 'FlowOutput<Value>.NilUntilAssigned' (aka 'Optional<Value>')
  }
  final class NamedByKey: FlowOperation, @unchecked Sendable {
    // error: 'FlowOutput<String>.NilUntilAssigned' (aka 'Optional<String>')
    @FlowOutput(.email) var n: String
  }
}

/// The language has no way to give a message of our own here; the documentation of `FlowInput` says which names are taken.
func namesThatAreTaken() {
  final class Name: FlowOperation, @unchecked Sendable {
    @FlowInput var name: String  // error: override mutable property 'name'
  }
  final class State: FlowOperation, @unchecked Sendable {
    @FlowInput var state: String  // error: property 'state' with type 'String' cannot override
  }
  final class Description: FlowOperation, @unchecked Sendable {
    @FlowInput var description: String  // error: overriding declaration requires an 'override' keyword
  }
}
