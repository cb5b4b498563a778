/// What a page's browser may load and run: nothing but the page's own style and script, which are named by their hashes.
///
/// The hashes are those of `PageStyle.text` and `PageScript.text`. A test computes them and prints what has to stand here.
enum PagePolicy {
  /// The SHA-256 of the style, in Base64.
  static let styleHash = "2xzW1KBAW2Cw+FKjnz5ON8SC904ml2WCl26I+2XmeCo="
  /// The SHA-256 of the script, in Base64.
  static let scriptHash = "wzJ9hRvWc5KZZ5Q6rEQfXZ3VKfKS5Nl5fslL/dGCBok="

  /// The policy.
  static let text =
    "default-src 'none'; style-src 'sha256-\(styleHash)'; script-src 'sha256-\(scriptHash)'; base-uri 'none'; "
    + "form-action 'none'; require-trusted-types-for 'script'"
}
