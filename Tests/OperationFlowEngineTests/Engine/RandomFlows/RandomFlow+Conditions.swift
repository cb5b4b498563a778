import TestSupport

@testable import OperationFlow
@testable import OperationFlowDurable

extension RandomFlow.Step {
  /// The step without its condition, and the condition.
  var unwrapped: (step: RandomFlow.Step, condition: RandomFlow.Condition?) {
    if case .conditional(let condition, let step) = self { (step, condition) } else { (self, nil) }
  }

  /// The name that the step's events have.
  var name: String {
    switch self {
    case .conditional(_, let step): step.name
    case .operation(let script, let isObject): isObject ? script.name : "BlockOp"
    case .group: "FlowArrayGroupDispatcher"
    case .cases, .numberCases: "Cases"
    case .parallel(let name, _): name
    }
  }
}

extension RandomFlow.Condition {
  /// Returns the trait for a condition; without a condition, the trait changes nothing.
  static func trait<Work>(_ condition: RandomFlow.Condition?) -> StepTrait<Work> {
    switch condition {
    case nil: .weight(1)
    case .holds(let key, .number(let number)): .when(FlowKey<Int>(key), is: number)
    case .holds(let key, .text(let text)): .when(FlowKey<String>(key), is: text)
    case .isNumber(let key, let limit): .when(FlowKey<Int>(key)) { $0 > limit }
    case .contains(let key): .when { $0.contains(key) }
    case .fails(let name): .when { _ in throw TestError(name: name) }
    }
  }

  /// The key whose value the line of a skipped step shows, and the type for which the condition asks.
  var typedKey: (name: String, type: String)? {
    switch self {
    case .holds(let key, .number), .isNumber(let key, _): (key, "Int")
    case .holds(let key, .text): (key, "String")
    case .contains, .fails: nil
    }
  }

  /// Returns true if the condition is met; `nil` if it throws.
  func isMet(by bucket: [String: InterpretedValue]) -> Bool? {
    switch self {
    case .holds(let key, let value): bucket[key]?.value == value
    case .isNumber(let key, let limit):
      if case .number(let number)? = bucket[key]?.value { number > limit } else { false }
    case .contains(let key): bucket[key] != nil
    case .fails: nil
    }
  }
}
