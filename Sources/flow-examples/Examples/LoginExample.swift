import OperationFlow

extension Example {
  /// Two steps that hand data on, in the typed style.
  static let loginSuccess = Example(name: "login: success") {
    let outcome = await Flow("Login")
      .setData(name: .email, value: "test@gmail.com")
      .setData(name: .password, value: "123456")
      .add(LoginOp())
      .add(LoadProfileOp())
      .run()

    print(outcome.report.summary)
    try expect(outcome.isSuccess, "the flow succeeds")
    try expect(outcome.report[.userName] == "Superman", "the second step has used what the first one wrote")
  }

  /// The email stands under another name than the operation asks for.
  static let loginMissingData = Example(name: "login: missing data") {
    let flow = loginFlow(["email_address": "test@gmail.com", "password": "123456"])
    await flow.run()

    print(flow.generateSummary())
    let error = flow.error as? FlowError
    try expect(error?.code == .missingData && error?.key == "email", "the flow fails for want of the email")
  }

  /// The password is a number where the operation asks for a string.
  static let loginWrongType = Example(name: "login: wrong type") {
    let flow = loginFlow(["email": "test@gmail.com", "password": 123456])
    await flow.run()

    print(flow.generateSummary())
    let error = flow.error as? FlowError
    try expect(error?.code == .mismatchedData && error?.key == "password", "the flow fails over the password's type")
  }

  /// The operation fails with an error of its own, which the flow hands on as it is.
  static let loginWrongPassword = Example(name: "login: wrong password") {
    let flow = loginFlow(["email": "test@gmail.com", "password": "654321"])
    await flow.run()

    print(flow.generateSummary())
    let error = flow.error as? LoginError
    try expect(error == .wrongPassword(email: "test@gmail.com"), "the flow fails with the operation's error")
    try expect(flow.dataBucket["accessToken"] == nil, "nobody is logged in")
  }

  /// The same steps in Flow-iOS's style: objects, and a data bucket with string names.
  private static func loginFlow(_ dataBucket: [String: any Sendable]) -> Flow {
    Flow()
      .setDataBucket(dataBucket: dataBucket)
      .markSensitive("password")
      .add(operation: LoginOp())
      .add(operation: LoadProfileOp())
  }
}
