import Foundation
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct RequestSignerTests {
  private let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

  @Test func `the signing key is that of the user guide's example`() {
    let key = RequestSigner(region: "us-east-1", service: "iam").key(day: "20150830", secret: secret)
    #expect(
      MessageDigest.hexadecimal(key) == "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9")
  }

  @Test func `the signature is that of the published test suite`() {
    // The case "post-vanilla".
    let added = RequestSigner(region: "us-east-1", service: "service").signature(
      of: ["Host": "example.amazonaws.com"], path: "/", body: Data(), date: Date(timeIntervalSince1970: 1_440_938_160),
      credentials: AWSCredentials(accessKeyID: "AKIDEXAMPLE", secretAccessKey: secret))
    #expect(added["X-Amz-Date"] == "20150830T123600Z")
    #expect(
      added["Authorization"]
        == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
        + "SignedHeaders=host;x-amz-date, "
        + "Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b")
  }

  // The signatures were made with botocore 1.43.106.
  @Test(arguments: [
    (
      String?.none, "states.eu-central-1.amazonaws.com",
      "161a07fef69b0d364bb48c4b6c2eccd0a13276532ab3630a2a324847c41a2b69"
    ),
    (
      "FwoGZXIvYXdzEXAMPLE//token==", "127.0.0.1:4566",
      "9e4916189a2eb7cc292fa133b72890083d4f309de410144afc5b6c72c06c698f"
    ),
  ])
  func `requests to the service are signed as an AWS SDK signs them`(token: String?, host: String, signature: String) {
    let headers = [
      "Content-Type": "application/x-amz-json-1.0", "Host": host, "X-Amz-Target": "AWSStepFunctions.StartExecution",
    ]
    let added = RequestSigner(region: "eu-central-1").signature(
      of: headers, path: "/", body: Data("{\"name\":\"grün\"}".utf8),
      date: Date(timeIntervalSince1970: 1_770_091_506),
      credentials: AWSCredentials(accessKeyID: "AKIDEXAMPLE", secretAccessKey: secret, sessionToken: token))
    #expect(added["Authorization"]?.hasSuffix("Signature=" + signature) == true)
    #expect(added["X-Amz-Security-Token"] == token)
  }
}
