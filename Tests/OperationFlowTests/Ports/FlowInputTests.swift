import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

extension FlowKey where Value == String {
  fileprivate static var street: Self { "street" }
}
extension FlowKey where Value == String? {
  fileprivate static var nickname: Self { "nickname" }
}
extension FlowKey where Value == Int {
  fileprivate static var number: Self { "number" }
}

private class AddressOp: FlowOperation, @unchecked Sendable {
  @FlowInput(.city) var town
  @FlowInput var zip: Int

  var address: String { "\(zip) \(town)" }
  override func mainLogic() {
    setData(name: "address", value: address)
    finishSuccessfully()
  }
}

private final class FullAddressOp: AddressOp, @unchecked Sendable {
  @FlowInput(.street) var street
  @FlowInput(.number) var number = 1
  @FlowInput var country: String = "CH"
  @FlowInput var floor: Int?
  @FlowInput var door: Int? = 7
  @FlowInput(.city) var alsoTown: String?
  @FlowInput(.nickname) var nickname

  override var address: String {
    "\(street) \(number) \(super.address) \(country) \(floor ?? -1) \(door ?? -1) \(alsoTown ?? "-") \(nickname ?? "-")"
  }
}

@Suite(.watched) struct FlowInputTests {
  @Test
  func `inputs are read by key and by property name, of superclasses too, and defaults stand for what is missing`()
    async
  {
    let required: [String: any Sendable] = ["city": "Bern", "zip": 3000, "street": "Weg"]
    let optional: [([String: any Sendable], String)] = [
      ([:], "Weg 1 3000 Bern CH -1 7 Bern -"),
      (["number": 5, "country": "DE", "floor": 2, "door": 3, "nickname": "Mutz"], "Weg 5 3000 Bern DE 2 3 Bern Mutz"),
      // Values of another type count as missing.
      (
        ["number": "five", "country": 49, "floor": "two", "door": "three", "nickname": 1],
        "Weg 1 3000 Bern CH -1 7 Bern -"
      ),
    ]
    for (data, address) in optional {
      let flow = Flow().setDataBucket(dataBucket: required.merging(data) { $1 }).add(FullAddressOp())
      #expect(await flow.run().report["address"] == address)
    }
  }

  @Test func `a value is the one that was there when the operation started`() async {
    final class PatientOp: FlowOperation, @unchecked Sendable {
      @FlowInput var value: Int
      override func mainLogic() {
        setData(name: "value", value: 2)
        setData(name: "seen", value: value)
        finishSuccessfully()
      }
    }
    let outcome = await Flow().setDataBucket(dataBucket: ["value": 0])
      .add("before") { $0["value"] = 1 }.add(PatientOp()).run()
    #expect(outcome.report["seen"] == 1)
    #expect(outcome.report["value"] == 2)
  }

  @Test func `inputs are read in an operation that runs alone, from its own values`() {
    let operation = AddressOp()
    operation.setData(name: "city", value: "Bern")
    operation.setData(name: "zip", value: 3000)
    operation.start()
    let address: String? = operation.getData(name: "address", isOptional: true)
    #expect(address == "3000 Bern")
  }

  @Test func `inputs are found though the property is private or lazy ones stand beside it`() async {
    final class ShyOp: FlowOperation, @unchecked Sendable {
      lazy var later = 5
      private let other = "other"
      @FlowInput private var value: Int
      override func mainLogic() {
        setData(name: "sum", value: value + later + other.count)
        finishSuccessfully()
      }
    }
    let outcome = await Flow().setDataBucket(dataBucket: ["value": 1]).add(ShyOp()).run()
    #expect(outcome.report["sum"] == 11)
  }

  @Test func `a port that an operation only refers to is none of its own`() async {
    final class ReferringOp: FlowOperation, @unchecked Sendable {
      weak var shared: FlowOutput<Int>?
      unowned let other: FlowOutput<Int>
      init(_ other: FlowOutput<Int>) { self.other = other }
      override func mainLogic() { finishSuccessfully() }
    }
    let output = FlowOutput<Int>()
    let operation = ReferringOp(output)
    operation.shared = output
    let flow = Flow().add(operation: operation)
    #expect(flow.blueprint.steps.allSatisfy { $0.inputs.isEmpty && $0.outputs.isEmpty })
    #expect(await flow.run().isSuccess)
  }
}
