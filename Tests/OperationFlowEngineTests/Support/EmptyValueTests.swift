import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct EmptyValueTests {
  @Test func `texts, numbers and collections have an empty value, others have none`() {
    #expect(emptyValue(String.self) == "" && emptyValue(Substring.self) == "")
    #expect(emptyValue(Int.self) == 0 && emptyValue(Double.self) == 0 && emptyValue(Bool.self) == false)
    #expect(emptyValue([Int].self) == [] && emptyValue(Data.self) == Data())
    #expect(emptyValue([String: Int].self) == [:] && emptyValue(Set<Int>.self) == [])
    #expect(emptyValue(Duration.self) == .zero && emptyValue(Date.self) != nil && emptyValue(URL.self) != nil)
    #expect(emptyValue(Token.self) == nil && emptyValue(Result<Int, TestError>.self) == nil)
  }
}
