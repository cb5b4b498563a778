import Foundation
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.watched) struct AWSConfigurationTests {
  private func configuration(_ environment: [String: String], _ files: [String: String] = [:]) -> AWSConfiguration {
    AWSConfiguration(environment: environment.merging(["HOME": "/home/ann"]) { value, _ in value }) { files[$0] }
  }

  private let files = [
    "/home/ann/.aws/credentials": """
    # keys
    [default]
    aws_access_key_id = ID
    aws_secret_access_key=SE=CR=ET
    [ other ]
    AWS_ACCESS_KEY_ID = OTHER
    aws_secret_access_key = SECRET
    aws_session_token = TOKEN
    """,
    "/home/ann/.aws/config": """
    [default]
    region = eu-central-1
    s3 =
      region = nowhere
    [profile other]
    region = us-west-2
    [profile process]
    credential_process = /bin/keys --now
    [profile both]
    aws_access_key_id = BOTH
    aws_secret_access_key = SECRET
    """,
  ]

  @Test func `the environment counts before the files`() throws {
    let found = configuration(
      ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "B", "AWS_SESSION_TOKEN": "C", "AWS_REGION": "r"], files)
    #expect(try found.credentials() == AWSCredentials(accessKeyID: "A", secretAccessKey: "B", sessionToken: "C"))
    #expect(try found.region() == "r")
  }

  @Test func `the default profile is read from the shared files`() throws {
    let found = configuration(["AWS_ACCESS_KEY_ID": "", "AWS_PROFILE": ""], files)
    #expect(try found.credentials() == AWSCredentials(accessKeyID: "ID", secretAccessKey: "SE=CR=ET"))
    #expect(try found.region() == "eu-central-1")
  }

  @Test func `another profile and other files can be named`() throws {
    let found = configuration(["AWS_PROFILE": "other"], files)
    #expect(
      try found.credentials()
        == AWSCredentials(accessKeyID: "OTHER", secretAccessKey: "SECRET", sessionToken: "TOKEN"))
    #expect(try found.region() == "us-west-2")
    #expect(try configuration(["AWS_PROFILE": "both"], files).credentials().accessKeyID == "BOTH")

    let elsewhere = configuration(
      ["AWS_SHARED_CREDENTIALS_FILE": "~/keys", "AWS_CONFIG_FILE": "/etc/aws"],
      ["/home/ann/keys": files["/home/ann/.aws/credentials"] ?? "", "/etc/aws": "[default]\nregion=x"])
    #expect(try elsewhere.credentials().accessKeyID == "ID")
    #expect(try elsewhere.region() == "x")
  }

  @Test func `both files can be the same one`() throws {
    let names = ["AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"]
    func configuration(_ path: String, profile: String) -> AWSConfiguration {
      let files = Dictionary(uniqueKeysWithValues: names.map { ($0, path) })
      return self.configuration(files.merging(["AWS_PROFILE": profile]) { $1 }, self.files)
    }
    #expect(try configuration("/home/ann/.aws/config", profile: "both").credentials().accessKeyID == "BOTH")
    #expect(try configuration("/home/ann/.aws/credentials", profile: "other").credentials().accessKeyID == "OTHER")
    let missing = #expect(throws: StepFunctionsError.self) {
      try configuration("/dev/null", profile: "default").credentials()
    }
    #expect(missing?.code == .missingCredentials)
  }

  @Test func `an error says where was looked`() {
    let nothing = configuration(["AWS_PROFILE": "mine"])
    let missing = #expect(throws: StepFunctionsError.self) { try nothing.credentials() }
    for place in ["AWS_ACCESS_KEY_ID", "\"mine\"", "/home/ann/.aws/credentials", "/home/ann/.aws/config"] {
      #expect(missing?.description.contains(place) == true)
    }
    #expect(missing?.code == .missingCredentials)
    let region = #expect(throws: StepFunctionsError.self) { try nothing.region() }
    #expect(region?.code == .missingRegion)
    #expect(region?.description.contains("AWS_DEFAULT_REGION") == true)
  }

  @Test func `a profile that gets its keys in a way that isn't supported is named as the reason`() {
    let found = configuration(["AWS_PROFILE": "process"], files)
    let error = #expect(throws: StepFunctionsError.self) { try found.credentials() }
    #expect(error?.message.contains("credential_process isn't supported") == true)
  }

  @Test func `half a pair in the environment isn't mixed with the other half of a file`() throws {
    let found = configuration(["AWS_ACCESS_KEY_ID": "A"], files)
    #expect(try found.credentials() == AWSCredentials(accessKeyID: "ID", secretAccessKey: "SE=CR=ET"))
  }

  @Test func `no text of credentials shows a secret`() {
    let credentials = AWSCredentials(accessKeyID: "ID", secretAccessKey: "hidden1", sessionToken: "hidden2")
    var dumped = ""
    dump(credentials, to: &dumped)
    let nested = [credentials]
    for text in [
      "\(credentials)", String(reflecting: credentials), dumped, "\(nested)", "\(Optional(credentials) as Any)",
    ] {
      #expect(text.contains("ID"))
      #expect(!text.contains("hidden"))
    }
  }
}
