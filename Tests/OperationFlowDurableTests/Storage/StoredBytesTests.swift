import Foundation
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable
@testable import OperationFlowStorage

@Suite(.watched) struct StoredBytesTests {
  @Test(arguments: [[], [0], [1, -2, 30], [Int.max, Int.min, -1], Array(-500..<500), [123_456_789_012_345_678]])
  func `numbers are stored as an encoder writes them, and come back`(_ numbers: [Int]) throws {
    let bytes = try #require(try StoredBytes(numbers))
    #expect(Data(bytes.json) == (try JSONEncoder().encode(numbers)))
    #expect(bytes.value as? [Int] == numbers)
  }

  @Test(arguments: ["[1,,2]", "[1]2]", "[-]", "[1-2]", "[a]", "[", "1,2", "[1.5]"])
  func `what isn't an array of numbers is none`(_ text: String) {
    let bytes = StoredBytes(kind: 6, json: Array(text.utf8))
    #expect(bytes.value as? [Int] == nil)
  }

  @Test func `numbers with spaces between them are read all the same`() {
    #expect(StoredBytes(kind: 6, json: Array("[ 1, -2 ]".utf8)).value as? [Int] == [1, -2])
  }
}
