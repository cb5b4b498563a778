/// The style of every page; its text is constant, so that the page's policy can contain its hash.
enum PageStyle {
  /// The whole style sheet.
  static let text =
    "\n"
    + [
      PackageResources.page_css, PackageResources.parts_css, PackageResources.drawings_css, PackageResources.media_css,
    ].map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
}
