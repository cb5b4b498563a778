import OperationFlow

/// The saved form of the counts of a step's undos, recoveries and retries, without those that are zero.
struct SavedFollowUps: Codable {
  let counts: FollowUps

  private enum CodingKeys: CodingKey {
    case undone, notUndone, recovered, retriedItems, itemAttempts
  }

  init(_ counts: FollowUps) { self.counts = counts }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func count(_ key: CodingKeys) throws -> Int {
      try container.decodeIfPresent(in: SavedNumbers.sums, forKey: key) ?? 0
    }
    counts = FollowUps(
      undone: try count(.undone), notUndone: try count(.notUndone), recovered: try count(.recovered),
      retriedItems: try count(.retriedItems), itemAttempts: try count(.itemAttempts))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    let all: [(CodingKeys, Int)] = [
      (.undone, counts.undone), (.notUndone, counts.notUndone), (.recovered, counts.recovered),
      (.retriedItems, counts.retriedItems), (.itemAttempts, counts.itemAttempts),
    ]
    for (key, count) in all where count != 0 { try container.encode(count, forKey: key) }
  }
}
