import Foundation

/// The credentials and the region in the environment and the shared files.
///
/// Source of the names and formats: "Configuration and credential file settings" in the AWS SDKs and Tools Reference
/// Guide.
package struct AWSConfiguration: Sendable {
  private let environment: [String: String]
  private let read: @Sendable (_ path: String) -> String?

  /// Creates a configuration from the environment; `read` returns a file's text, or `nil` if there is no such file.
  package init(
    environment: [String: String] = ProcessInfo.processInfo.environment,
    read: @escaping @Sendable (_ path: String) -> String? = { try? String(contentsOfFile: $0, encoding: .utf8) }
  ) {
    self.environment = environment
    self.read = read
  }

  /// Returns the credentials of the environment if both keys are there, and otherwise those of the profile.
  ///
  /// - Throws: An error that lists the places that were searched, and no value that was found there.
  package func credentials() throws(StepFunctionsError) -> AWSCredentials {
    if let id = value("AWS_ACCESS_KEY_ID"), let secret = value("AWS_SECRET_ACCESS_KEY") {
      return AWSCredentials(accessKeyID: id, secretAccessKey: secret, sessionToken: value("AWS_SESSION_TOKEN"))
    }
    // The credentials file counts before the config file, which may have the same entries.
    // Both may be the same file, such as /dev/null.
    for (path, section) in [(credentialsFile, profile), (settingsFile, settingsSection)] {
      let entries = entries(of: path, section: section)
      guard let id = entries["aws_access_key_id"], let secret = entries["aws_secret_access_key"] else { continue }
      return AWSCredentials(accessKeyID: id, secretAccessKey: secret, sessionToken: entries["aws_session_token"])
    }
    throw .missingCredentials(looked: places, unsupported: unsupportedSetting)
  }

  /// Returns the region.
  ///
  /// - Throws: An error that lists the places that were searched.
  package func region() throws(StepFunctionsError) -> String {
    if let region = value("AWS_REGION") ?? value("AWS_DEFAULT_REGION") { return region }
    if let region = entries(of: settingsFile, section: settingsSection)["region"] { return region }
    throw .missingRegion(looked: "AWS_REGION, AWS_DEFAULT_REGION, and profile \"\(profile)\" in \(settingsFile)")
  }

  // MARK: Places

  private var profile: String { value("AWS_PROFILE") ?? "default" }
  private var settingsSection: String { profile == "default" ? profile : "profile " + profile }
  private var credentialsFile: String {
    value("AWS_SHARED_CREDENTIALS_FILE").map(expanded) ?? home + "/.aws/credentials"
  }
  private var settingsFile: String { value("AWS_CONFIG_FILE").map(expanded) ?? home + "/.aws/config" }
  private var home: String { value("HOME") ?? NSHomeDirectory() }

  private var places: String {
    "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and profile \"\(profile)\" in \(credentialsFile) and \(settingsFile)"
  }

  /// The profile's setting for credentials from another source, which isn't supported; `nil` if it has none.
  private var unsupportedSetting: String? {
    let settings = entries(of: settingsFile, section: settingsSection).merging(
      entries(of: credentialsFile, section: profile)
    ) { $1 }
    return ["credential_process", "sso_session", "sso_start_url", "role_arn"].first { settings[$0] != nil }
  }

  private func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

  private func expanded(_ path: String) -> String { path.hasPrefix("~/") ? home + path.dropFirst() : path }

  // MARK: Files

  /// Returns the entries of a section, by their lowercase names.
  private func entries(of path: String, section wanted: String) -> [String: String] {
    guard let text = read(path) else { return [:] }
    var entries: [String: String] = [:]
    var isWanted = false
    for line in text.split(whereSeparator: \.isNewline) {
      // An indented line belongs to the entry before it, and no entry that is needed here has such lines.
      if line.first?.isWhitespace == true { continue }
      let trimmed = line.trimmingCharacters(in: .whitespaces)
      if trimmed.hasPrefix("#") || trimmed.hasPrefix(";") { continue }
      if trimmed.hasPrefix("["), let end = trimmed.firstIndex(of: "]") {
        let name = trimmed[trimmed.index(after: trimmed.startIndex)..<end]
        isWanted = name.split(whereSeparator: \.isWhitespace).joined(separator: " ") == wanted
      } else if isWanted, let equals = trimmed.firstIndex(of: "=") {
        let value = trimmed[trimmed.index(after: equals)...].trimmingCharacters(in: .whitespaces)
        if !value.isEmpty {
          entries[trimmed[..<equals].trimmingCharacters(in: .whitespaces).lowercased()] = value
        }
      }
    }
    return entries
  }
}
