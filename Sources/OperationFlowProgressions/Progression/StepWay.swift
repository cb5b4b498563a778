/// The ways in which a type can implement its steps.
@usableFromInline
enum StepWay: Sendable {
  case update
  case next
  case advance
}
