import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct IdentityTests {
  @Test func `an identifier stays the same and is unique`() async {
    let operations = (0..<100).map { _ in BlockOp() }
    let identifiers = operations.map(\.identifier)
    #expect(Set(identifiers).count == 100)
    #expect(identifiers == operations.map(\.identifier))
    #expect(!identifiers.contains(""))
  }

  @Test func `two threads that ask first get the same identifier`() async {
    for _ in 0..<50 {
      let (operation, seen) = (BlockOp(), Journal<String>())
      await atOnce({ seen.append(operation.identifier) }, { seen.append(operation.identifier) })
      #expect(Set(seen.entries).count == 1)
    }
  }

  @Test func `the display name is the type's, or the name if one is set`() {
    #expect(SuccessOp().displayName == "[SuccessOp]")
    #expect(BlockOp("mine").displayName == "[mine]")
  }
}
