import OperationFlow

// The keys that many suites use.

extension FlowKey where Value == Bool {
  package static var isPremium: Self { "isPremium" }
}

extension FlowKey where Value == Int {
  package static var count: Self { "count" }
}

extension FlowKey where Value == String {
  package static var city: Self { "city" }
}

extension FlowKey where Value == [Int] {
  package static var numbers: Self { "numbers" }
  package static var out: Self { "out" }
  package static var outputs: Self { "outputs" }
  package static var sizes: Self { "sizes" }
}

extension FlowKey where Value == [String] {
  package static var names: Self { "names" }
  package static var texts: Self { "texts" }
}
