import Foundation
import TestSupport
import Testing

@testable import OperationFlowReports

@Suite(.watched)
struct PagePolicyTests {
  @Test func `the policy names the hashes of the style and the script`() {
    #expect(PagePolicy.styleHash == SHA256.base64(PageStyle.text))
    #expect(PagePolicy.scriptHash == SHA256.base64(PageScript.text))
  }

  @Test func `the tests hash as the standard's example does`() {
    #expect(SHA256.base64("abc") == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
    #expect(SHA256.base64("") == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
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
