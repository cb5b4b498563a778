import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport

/// Runs with more events than a record stores, and one that is shorter than a millisecond.
extension PageSamples {
  /// Returns an upload of 1,200 files, of which one is refused late.
  ///
  /// Files that were in progress when the record became full have no end in it.
  static func upload() async -> FlowRecord {
    let files = (1...1_200).map { number in
      URL(fileURLWithPath: "/Users/ann/Pictures/2026/harbour at night/photo-\(String(format: "%04d", number)).jpg")
    }
    return await Flow("Upload")
      .set("files", to: files).set("note", to: String(repeating: "Photos of the harbour. ", count: 40))
      .add("sign in", .writes("session" as FlowKey<String>)) { $0["session"] = "session-7" }
      .forEach(
        "files", into: "links", width: 8, .reads("session" as FlowKey<String>, "note" as FlowKey<String>),
        .retry(.attempts(2)), .undo { _ in }, .named("upload")
      ) { (file: URL, context) -> URL in
        try await Task.sleep(for: .milliseconds(1))
        if context.index == 1_149 {
          throw TextError(
            description: "413: " + file.lastPathComponent + " is too large. "
              + String(repeating: "The server takes files of at most 25 MB. ", count: 12))
        }
        return file
      }
      .add("announce") { _ in }
      .run().report.record
  }

  /// Returns a group of 3,000 items that succeeds.
  ///
  /// Items that were in progress when the record became full have no end in it.
  static func items() async -> FlowRecord {
    await Flow("Sum")
      .forEach(in: 0..<3_000, width: 6, .named("numbers")) { (_: Int, _) in
        try await Task.sleep(for: .milliseconds(1))
      }
      .add("sum") { _ in }
      .run().report.record
  }

  /// Returns a run of 640 microseconds, with fixed times.
  static func quick() throws -> FlowRecord {
    let begin = 1_767_225_600_000_000
    func line(_ time: Int, _ rest: String) -> String { "{\"time\":\(begin + time),\(rest)}\n" }
    func step(_ id: Int, _ name: String, _ state: String, _ duration: Int) -> String {
      "{\"id\":\(id),\"name\":\"\(name)\",\"number\":\(id + 1),\"kind\":\"closure\",\"path\":\"\(id + 1). \(name)\","
        + "\"state\":\"\(state)\",\"attempts\":1,\"duration\":\(duration)}"
    }
    var text = "{\"format\":\"OperationFlow record\",\"version\":1,\"flow\":\"Quick\",\"steps\":["
    text += step(0, "read", "succeeded", 210) + "," + step(1, "parse", "failed", 380)
    text += "],\"ending\":{\"result\":\"failed\",\"duration\":640,\"text\":\"\",\"failure\":{\"name\":\"parse\","
    text += "\"step\":1,\"attempt\":1,\"problem\":\"line 3 has no end\",\"isRefusal\":false}}}\n"
    text += line(0, "\"number\":0,\"event\":\"flowStarted\",\"name\":\"DataBucket\",\"data\":[]")
    text += line(12, "\"number\":1,\"event\":\"started\",\"name\":\"read\",\"step\":0")
    text += line(222, "\"number\":2,\"event\":\"finished\",\"name\":\"read\",\"step\":0,\"end\":\"successfully\"")
    text += line(241, "\"number\":3,\"event\":\"started\",\"name\":\"parse\",\"step\":1")
    text += line(
      621,
      "\"number\":4,\"event\":\"finished\",\"name\":\"parse\",\"step\":1,\"end\":\"withError\",\"text\":\"line 3 has no end\""
    )
    text += line(
      640,
      "\"number\":5,\"event\":\"flowFinished\",\"name\":\"DataBucket\",\"end\":\"withError\",\"text\":\"line 3 has no end\",\"data\":[]"
    )
    return try FlowRecord(jsonLines: Data(text.utf8))
  }

  /// Returns the run of the README, for its picture.
  static func publish() async -> FlowRecord {
    let photos = ["a", "b", "c"].map { URL(fileURLWithPath: "/photos/\($0).png") }
    let (token, links) = (FlowKey<String>("token", sensitive: true), FlowKey<[URL]>("links"))
    return await Flow("Publish")
      .add("sign in", .writes(token), .retry(.attempts(3))) { $0[token] = "hunter2-token" }
      .forEach(
        "photos" as FlowKey<[URL]>, into: links, width: 4, .reads(token),
        .retry(.exponential(attempts: 3, first: .milliseconds(200))), .undo { _ in }
      ) { photo, _ in
        if photo.lastPathComponent == "c.png" { throw TextError(description: "no connection") }
        return photo
      }
      .add("announce", .reads(links), .writesNothing) { _ in }
      .run { $0["photos"] = photos }.report.record
  }
}
