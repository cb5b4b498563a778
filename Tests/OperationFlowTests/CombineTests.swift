import CombineStandIn
import Foundation
import OperationFlow
import OperationFlowDurable
import Testing

/// Checks that a file with the imports of the library and Combine can use every name of the library without its module.
@Suite(.watched) struct CombineTests {
  /// Every public type of the library: if Combine had one of the same name, this file would not compile.
  ///
  /// In an alias, the compiler reports an ambiguous type. In an expression it might choose one of two.
  private typealias Names = (
    any CustomRecordStringConvertible, DataBucket, FileFlowStore, Flow, FlowArrayGroupDispatcher, FlowCase,
    FlowCases<Int>,
    FlowContext, FlowData, FlowDurability,
    FlowEnding, FlowBranches, FlowError, FlowEvent, FlowEvents,
    any FlowGroupDispatcher, FlowGroupItems, FlowGroupResults,
    FlowInput<Int>,
    FlowItemFailure, FlowItemResult<Int>, any FlowJournal, FlowKey<Int>, FlowLimiter, FlowLogHandler, FlowLogLevel,
    FlowLogLine,
    FlowOpenJournal, FlowOperation,
    any FlowOperationCreator,
    FlowOperationState, FlowOperationStateFinishType, FlowOutcome, FlowOutput<Int>, FlowPath, FlowProblem,
    FlowProcessSignal,
    FlowRecord, FlowRecording, FlowRedaction,
    FlowRetention, FlowSealing, FlowSignal<Int>, FlowStoredError, FlowStoredRecord, FlowStoredRun, FlowSupervisor,
    FlowUnfinishedRun,
    FlowReport, FlowResultOrder, FlowRetryBudget, any FlowRetryDelaying, FlowRetryPolicy, FlowRun,
    any FlowStore, FlowStoreMismatch,
    FlowSummaryStyle, FlowTimeoutScope,
    FlowStep, FlowStepKind, FlowTolerance, MemoryFlowStore, StepTrait<FlowStep.Once>
  )
  /// The aliases in a list of their own, because the text of a type shows their targets.
  private typealias Aliases = (FlowDidFinishBlock, FlowWillStartBlock)
  private let aliases: Set = ["FlowDidFinishBlock", "FlowWillStartBlock"]

  @Test func `every public name of the library is among those that are named`() throws {
    let names = "\(Names.self)".matches(of: #/(?<name>\w+)(?:<\w+>)?[,)]/#).map { String($0.name) }
    #expect(try declaredNames() == aliases.union(names))
  }

  /// Returns the public names that the library's files declare at their top level.
  private func declaredNames() throws -> Set<String> {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Sources")
    let files = try ["OperationFlow", "OperationFlowDurable"].flatMap { module in
      let folder = sources.appendingPathComponent(module).standardizedFileURL
      return Array(try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)))
    }
    let declaration =
      #/^(?:@.+ )?(?:public|open) (?:final |indirect )*(?:class|struct|enum|protocol|actor|typealias|func|let|var) (?<name>\w+)/#
      .anchorsMatchLineEndings()
    var names: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      names.formUnion(text.matches(of: declaration).map { String($0.name) })
    }
    return names
  }
}
