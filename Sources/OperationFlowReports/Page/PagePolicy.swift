/// The content security policy of a page: it allows only the page's own style and script, identified by their hashes.
///
/// The hashes are those of `PageStyle.text` and `PageScript.text`. A test computes them, and prints the right ones if
/// they differ.
enum PagePolicy {
  /// The SHA-256 of the style, in Base64.
  static let styleHash = "JNsPlDrC7+Yt4p18ZDmCqTcRuHTQcO0L60mDLKfO28o="
  /// The SHA-256 of the script, in Base64.
  static let scriptHash = "J7gC1YvTsmDPoz78740qbTlCOUQQgX02BTjfHYrvLuU="

  /// The policy.
  static let text =
    "default-src 'none'; style-src 'sha256-\(styleHash)'; script-src 'sha256-\(scriptHash)'; base-uri 'none'; "
    + "form-action 'none'; require-trusted-types-for 'script'"
}
