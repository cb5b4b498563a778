import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

@Suite(.watched) struct FlowRedactionTests {
  @Test(arguments: [
    "password", "Password", "userPassword", "USER_PASSWORD", "user-password", "accessToken", "token", "refresh_tokens",
    "apiKey", "APIKey", "api_key", "X-Api-Key", "clientSecret", "Authorization", "Set-Cookie", "session.id", "pwd2",
    "AWSSecretAccessKey", "dbCredentials", "cvv", "card_cvv2", "pin", "pinCode", "userPIN",
    "cardNumber", "otp", "tokenHeader", "token_value", "passwordConfirmation", "passwordHash", "tokenForUploads",
    "secretOfCount", "inputToken",
  ]) func `the standard rule redacts a secret's usual names`(name: String) {
    #expect(FlowRedaction.standard.redacts(name))
    #expect(!FlowRedaction.none.redacts(name))
  }

  @Test(arguments: [
    "email", "passing", "tokenizer", "key", "keyboard", "secretary", "apiKeyboard", "cook", "author", "", "🔑", "target",
    "tokenCount", "token_type", "tokensUsed", "maxTokens", "total_tokens", "numberOfTokens", "secretSanta",
    "passwordLength", "cookieConsent", "authorizationStatus", "spinner", "shipping", "opinion", "pinned",
  ]) func `it leaves other names alone`(name: String) {
    #expect(!FlowRedaction.standard.redacts(name))
  }

  @Test func `words can be added, also several in a row`() {
    let rule = FlowRedaction.standard.adding("iban", "social security number")
    #expect(rule.redacts("userIBAN") && rule.redacts("socialSecurityNumber") && rule.redacts("password"))
    #expect(!rule.redacts("ibanity") && !rule.redacts("securityNumber") && !FlowRedaction.standard.redacts("userIBAN"))
  }

  @Test func `single names can be excluded, and added again`() {
    let rule = FlowRedaction.standard.excluding("pin", "secret_path")
    #expect(!rule.redacts("pin") && !rule.redacts("PIN") && !rule.redacts("secretPath"))
    #expect(rule.redacts("userPIN") && rule.redacts("pinCode") && rule.redacts("secret"))
    #expect(FlowRedaction.standard.redacts("pin") && rule.adding("pin").redacts("pin"))
  }

  @Test func `a value that is given to a run under such a name is in no text, wherever it goes`() async {
    let secret = "hunter2-XYZZY"
    func outcome(_ flow: Flow) async -> String {
      let seen = Journal<String>()
      let outcome = await flow.observe { seen.append("\($0.kind)") }
        .add("use") { context in
          let password: String = try context.require("password")
          context["copy"] = "Bearer " + password
          context.log("using \(password)")
        }
        .forEach(in: [secret, "other"], width: 1, tolerating: .all, .named("each")) { item, _ in
          throw Complaint(text: "refused \(item)")
        }
        .add("\(secret) step") { _ in throw Complaint(text: "can't log in with \(secret)") }
        .run { $0["password"] = secret }
      let record = outcome.report.record
      return "\(record)" + record.summary() + record.summary(style: .brief) + record.summary(style: .detailed)
    }
    #expect(await outcome(Flow("f").redaction(.none)).contains(secret))
    let text = await outcome(Flow("f"))
    #expect(!text.contains(secret) && text.contains("<redacted>"))
  }

  private struct Complaint: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
  }
}
