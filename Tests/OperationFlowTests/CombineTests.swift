import CombineStandIn
import Foundation
import OperationFlow
import OperationFlowDurable
import Testing

/// A file that imports the library and Combine can name everything of the library without saying which module it means.
@Suite(.watched) struct CombineTests {
  /// Every public type of the library: if Combine had one of the same name, this file would not compile.
  ///
  /// An alias names types, of which none may be ambiguous. In an expression the compiler might choose one of two.
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
    FlowRecording, FlowRedaction,
    FlowRetention, FlowSealing, FlowSignal<Int>, FlowStoredError, FlowStoredRecord, FlowStoredRun, FlowSupervisor,
    FlowUnfinishedRun,
    FlowReport, FlowResultOrder, FlowRetryBudget, any FlowRetryDelaying, FlowRetryPolicy, FlowRun,
    any FlowStore,
    FlowSummaryStyle, FlowTimeoutScope,
    FlowStep, FlowStepKind, FlowTolerance, MemoryFlowStore, StepTrait<FlowStep.Once>
  )
  /// The aliases are listed by themselves, since a type's text shows what they stand for.
  private typealias Aliases = (FlowDidFinishBlock, FlowWillStartBlock)
  private let aliases: Set = ["FlowDidFinishBlock", "FlowWillStartBlock"]

  @Test func `every public name of the library is among those that are named`() throws {
    let names = "\(Names.self)".matches(of: #/(?<name>\w+)(?:<\w+>)?[,)]/#).map { String($0.name) }
    #expect(try declaredNames() == aliases.union(names))
  }

  /// The public names that the library's files declare at their top level.
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
