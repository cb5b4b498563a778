/// Where a run stands in its blueprint: the open blocks from the outermost in, so that no step of it recurses.
struct RunPosition: Sendable {
  private struct Frame: Sendable {
    let block: Blueprint.BlockID
    /// The step that is a flow and whose steps these are.
    let flow: Blueprint.StepID?
    var next = 0
    /// The weight of the steps that are done, the current one not among them.
    var doneWeight = 0
  }

  enum Move: Sendable {
    case step(Blueprint.StepID)
    /// The last step of a flow that is a step is done.
    case leave(Blueprint.StepID)
    case end
  }

  private var frames: [Frame] = []

  mutating func enter(_ block: Blueprint.BlockID, of flow: Blueprint.StepID?) {
    frames.append(Frame(block: block, flow: flow))
  }

  /// Goes to the next step, out of the blocks that are done.
  mutating func advance(in blueprint: Blueprint) -> Move {
    while !frames.isEmpty {
      let last = frames.count - 1
      let (block, next) = (frames[last].block, frames[last].next)
      guard next < blueprint.blocks[block].steps.count else {
        if let flow = frames[last].flow { return .leave(flow) }
        frames.removeLast()
        continue
      }
      if next > 0 { frames[last].doneWeight += blueprint.steps[blueprint.blocks[block].steps[next - 1]].weight }
      frames[last].next = next + 1
      return .step(blueprint.blocks[block].steps[next])
    }
    return .end
  }

  /// The flows that are steps and have not ended, the innermost first.
  var openFlows: [Blueprint.StepID] { frames.reversed().compactMap(\.flow) }

  /// Goes to the end of the innermost flow that is a step, and says which; `nil` where there is none.
  mutating func endFlow() -> Blueprint.StepID? {
    while let frame = frames.last {
      if let flow = frame.flow { return flow }
      frames.removeLast()
    }
    return nil
  }

  /// Leaves the flow that is a step and whose steps are done: it is open until then, for its end may not come to be
  /// recorded.
  mutating func leaveFlow() {
    frames.removeLast()
  }

  /// How much is done, from 0 to 1, where `inner` of the current step is.
  func fraction(in blueprint: Blueprint, inner: Double) -> Double {
    frames.reversed().reduce(inner) { inner, frame in
      let block = blueprint.blocks[frame.block]
      guard block.weight > 0, frame.next > 0 else { return 0 }
      let current = blueprint.steps[block.steps[frame.next - 1]].weight
      return (Double(frame.doneWeight) + Double(current) * inner) / Double(block.weight)
    }
  }
}
