import Foundation
import OperationFlow

extension Flow {
  /// Returns the input of an execution: the values that a run begins with, as JSON.
  ///
  /// - Parameters:
  ///   - data: The values that override the flow's initial values.
  ///   - options: The options of the export; only the treatment of sensitive values matters here.
  ///   - sealing: The encryption of sensitive values, if these are to be sealed.
  /// - Returns: A JSON object with a member for each key.
  /// - Throws: ``StateMachineExportError`` with every value that isn't `Codable`, or is sensitive and not allowed.
  public func executionInput(
    with data: [String: any Sendable] = [:], options: StateMachineOptions = StateMachineOptions(),
    sealing: FlowSealing? = nil
  ) throws(StateMachineExportError) -> Data {
    var unstorable: [String] = []
    var (values, sensitiveNames) = startingJSON(with: data, unstorable: &unstorable)
    var reasons = unstorable.sorted().map { name in
      StateMachineExportError.Reason(
        path: FlowPath(self.name), problem: "the value of <\(name)> isn't Codable.",
        remedy: "Make its type Codable, or make the value in the step that needs it.")
    }
    sensitiveNames.formUnion(values.keys.filter(settings.redaction.redacts))
    for name in values.keys.sorted() where sensitiveNames.contains(name) {
      switch options.sensitiveValues {
      case .plain: break
      case .refused:
        reasons.append(.sensitive(name, at: FlowPath(self.name)))
      case .sealed:
        do throws(FlowTaskFailure) {
          values[name] = try SealedValues(sealing: sealing).sealed(values[name] ?? [], name)
        } catch {
          reasons.append(
            StateMachineExportError.Reason(path: FlowPath(self.name), problem: error.cause, remedy: "Give a sealing."))
        }
      }
    }
    for name in values.keys.sorted() where !DataPath.canName(name) {
      reasons.append(
        StateMachineExportError.Reason(
          path: FlowPath(self.name), problem: "the name <\(name)> can't be a member of a state's data.",
          remedy: "Use a name without quotes, backslashes and control characters that isn't \"\(DataPath.reserved)\"."))
    }
    guard reasons.isEmpty else { throw StateMachineExportError(flowName: name, reasons: reasons) }
    return Data(RawJSON.object(values))
  }

  /// Returns the input of an execution whose workers store large values elsewhere.
  ///
  /// - Parameters:
  ///   - data: The values that override the flow's initial values.
  ///   - options: The options of the export; only the treatment of sensitive values matters here.
  ///   - sealing: The encryption of sensitive values, if these are to be sealed.
  ///   - largeValues: The store of large values. Values that states themselves read, such as the array of a group or
  ///     the key of a case, are never replaced.
  /// - Returns: A JSON object with a member for each key, some of which may be references.
  /// - Throws: ``StateMachineExportError`` as the other method does, or if a value can't be stored.
  public func executionInput(
    with data: [String: any Sendable] = [:], options: StateMachineOptions = StateMachineOptions(),
    sealing: FlowSealing? = nil, largeValues: FlowLargeValues
  ) async throws(StateMachineExportError) -> Data {
    let input = try executionInput(with: data, options: options, sealing: sealing)
    do throws(FlowTaskFailure) {
      return try await largeValues.replacing(
        input, except: .members(FlowTaskPerformer(self, sealing: sealing).inspectedNames))
    } catch {
      let reason = StateMachineExportError.Reason(
        path: FlowPath(name), problem: error.cause, remedy: "Then make the input again.")
      throw StateMachineExportError(flowName: name, reasons: [reason])
    }
  }
}
