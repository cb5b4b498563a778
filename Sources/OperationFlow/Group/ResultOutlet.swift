/// A channel of a group's results as a blueprint has it: no more results come if no blueprint has it any more.
final class ResultOutlet: Sendable {
  let channel: ResultChannel

  init(_ channel: ResultChannel) { self.channel = channel }

  deinit { channel.finish(isReserved: true) }
}
