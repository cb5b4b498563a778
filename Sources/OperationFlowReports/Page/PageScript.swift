/// The script of a page, whose text is the same in every page, so that the page's policy can name its hash.
///
/// It shows texts with `textContent` only, and the policy makes the browser refuse every other way.
enum PageScript {
  /// The whole script.
  static let text =
    "\n(() => {\n'use strict';\n"
    + [
      PackageResources.base_js, PackageResources.log_js, PackageResources.detail_js, PackageResources.timeline_js,
      PackageResources.chart_js, PackageResources.controls_js, PackageResources.steps_js,
    ].map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
    + "})();\n"
}
