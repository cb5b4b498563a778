import Flow_iOS

/// Starts what `build` makes with a did-finish block, and waits until that block has been called.
func finished(
  isolation: isolated (any Actor)? = #isolation, _ build: (@escaping FlowDidFinishBlock) -> Flow
) async -> Flow {
  await withCheckedContinuation { continuation in
    build { flow in continuation.resume(returning: flow) }.start()
  }
}

/// Starts the flow and waits for its did-finish block.
func finished(isolation: isolated (any Actor)? = #isolation, _ flow: Flow) async -> Flow {
  await finished { flow.setDidFinishBlock(block: $0) }
}

extension Flow {
  /// The summary's lines without their times.
  var lines: [String] {
    generateSummary().split(separator: "\n").map { line in
      line.firstRange(of: " [").map { String(line[$0.lowerBound...].dropFirst()) } ?? String(line)
    }
  }
}

/// A list that any thread appends to.
final class Notes: @unchecked Sendable {
  // Invariant: `list` is used only while `lock` is held.
  private let lock = NSLock()
  private var list: [String] = []

  var all: [String] { lock.withLock { list } }

  func add(_ note: String) { lock.withLock { list.append(note) } }
}
