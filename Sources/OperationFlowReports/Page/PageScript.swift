/// The script of every page; its text is constant, so that the page's policy can contain its hash.
///
/// The script never parses data as HTML; the policy makes the browser refuse that.
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
