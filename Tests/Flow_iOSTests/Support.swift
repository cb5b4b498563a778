import Flow_iOS

/// Starts the flow that `build` makes with a did-finish block, and returns when that block was called.
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

/// A list to which any thread appends.
final class Notes: @unchecked Sendable {
  // Invariant: `list` is used only under `lock`.
  private let lock = NSLock()
  private var list: [String] = []

  var all: [String] { lock.withLock { list } }

  func add(_ note: String) { lock.withLock { list.append(note) } }
}
