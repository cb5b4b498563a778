import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport

/// Runs of several hours, and one that continues after a crash.
extension PageSamples {
  private struct TimedStep {
    let name: String
    let start: Int
    let end: Int
    var error: String?
  }

  /// A run of an hour and forty minutes, in which a step of six seconds failed, with fixed times in seconds.
  static func nightly() throws -> FlowRecord {
    let steps = [
      TimedStep(name: "dump the database", start: 0, end: 1_450),
      TimedStep(name: "check the dump", start: 1_450, end: 1_530),
      TimedStep(name: "compress", start: 1_530, end: 2_900),
      TimedStep(name: "encrypt", start: 2_900, end: 3_320),
      TimedStep(name: "upload", start: 3_325, end: 5_990),
      TimedStep(name: "register", start: 5_990, end: 5_996, error: "409: the catalogue is locked by another backup"),
      TimedStep(name: "remove the local copy", start: -1, end: -1),
    ]
    let begin = 1_767_225_600
    func line(_ fields: String) -> String { "{\(fields)}\n" }
    var number = 0
    func event(_ time: Int, _ fields: String) -> String {
      defer { number += 1 }
      return line("\"number\":\(number),\"time\":\((begin + time) * 1_000_000),\(fields)")
    }
    let listed = steps.enumerated().map { index, step in
      let state = step.error != nil ? "failed" : step.start < 0 ? "neverRan" : "succeeded"
      let duration = step.start < 0 ? "" : ",\"duration\":\((step.end - step.start) * 1_000_000)"
      return "{\"id\":\(index),\"name\":\"\(step.name)\",\"number\":\(index + 1),\"kind\":\"closure\","
        + "\"path\":\"\(index + 1). \(step.name)\",\"state\":\"\(state)\",\"attempts\":\(step.start < 0 ? 0 : 1)\(duration)}"
    }
    var text = "{\"format\":\"OperationFlow record\",\"version\":1,\"flow\":\"Nightly backup\",\"steps\":["
    text += listed.joined(separator: ",")
    text += "],\"ending\":{\"result\":\"failed\",\"duration\":5996000000,\"text\":\"\","
    text += "\"failure\":{\"name\":\"register\","
    text += "\"step\":5,\"attempt\":1,\"problem\":\"\(steps[5].error ?? "")\",\"isRefusal\":false}}}\n"
    text += event(0, "\"event\":\"flowStarted\",\"name\":\"DataBucket\",\"data\":[]")
    for (index, step) in steps.enumerated() where step.start >= 0 {
      text += event(step.start, "\"event\":\"started\",\"name\":\"\(step.name)\",\"step\":\(index)")
      let end = step.error.map { "\"withError\",\"text\":\"\($0)\"" } ?? "\"successfully\""
      text += event(step.end, "\"event\":\"finished\",\"name\":\"\(step.name)\",\"step\":\(index),\"end\":\(end)")
    }
    text += event(
      5_996, "\"event\":\"flowFinished\",\"name\":\"DataBucket\",\"end\":\"withError\",\"text\":\"locked\",\"data\":[]")
    return try FlowRecord(jsonLines: Data(text.utf8))
  }

  /// A run that continued after a crash and failed, and in which one of two undos failed, too.
  static func resumed() async throws -> FlowRecord {
    let flow = {
      Flow("Trip")
        .add("hotel", .undo { _ in throw TextError(description: "the hotel is closed") }) { _ in }
        .add("car", .undo { _ in }) { _ in }
        .add("pay") { _ in throw TextError(description: "declined") }
    }
    let store = try await flow().cut(settled: 2)
    return await flow().run(id: "a", in: store, durability: .operatingSystem).report.record
  }
}
