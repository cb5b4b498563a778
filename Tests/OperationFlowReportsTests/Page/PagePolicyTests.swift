import Foundation
import OperationFlow
import OperationFlowStorage
import TestSupport
import Testing

@testable import OperationFlowReports

@Suite(.watched)
struct PagePolicyTests {
  @Test func `the policy names the hashes of the style and the script`() {
    func hash(_ text: String) -> String { Data(SecureHash.bytes(of: text.utf8)).base64EncodedString() }
    #expect(PagePolicy.styleHash == hash(PageStyle.text) && PagePolicy.scriptHash == hash(PageScript.text))
    // The example of the standard.
    #expect(hash("abc") == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
  }

  @Test func `the script has no way to make elements of texts, or to reach outside the page`() {
    let words = [
      "innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(", "fetch(", "XMLHttp",
      "import(", "WebSocket", "localStorage", "cookie", "http:", "https:", "setTimeout('", ".src", ".href",
    ]
    let script = PageScript.text.replacingOccurrences(of: "http://www.w3.org/2000/svg", with: "")
    for word in words { #expect(!script.contains(word), "\(word)") }
    #expect(!PageStyle.text.contains("url(") && !PageStyle.text.contains("@import"))
    for text in [PageScript.text, PageStyle.text] { #expect(!text.contains("</")) }
  }
}
