/// A form of summaries that another module writes, such as the detailed one.
package struct SummaryForm: Sendable, Hashable {
  private let name: String
  let text: @Sendable (RunDigest, FlowSummaryStyle) -> String

  package init(_ name: String, _ text: @escaping @Sendable (RunDigest, FlowSummaryStyle) -> String) {
    (self.name, self.text) = (name, text)
  }

  package static func == (left: Self, right: Self) -> Bool { left.name == right.name }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
