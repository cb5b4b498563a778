import Foundation
import UploadServer
import Uploader

/// A receiver that causes faults according to a plan, and stores the files of the other requests.
struct FaultyReceiver: Sendable {
  /// A deliberate error, which the comparison at the end of a soak has to find.
  enum PlantedError: String, CaseIterable, Sendable {
    /// One file is stored with a wrong byte.
    case corrupt
    /// One file is not stored, though the answer confirms it.
    case lose
    /// The files that should be refused are stored.
    case accept
    /// The client retries files that were refused for good.
    case insist
    /// The client isn't asked to wait when it should be.
    case hurry
  }

  let plan: FaultPlan
  let folder: URL
  let log = FaultLog()
  private let receiver: HTTPReceiver

  /// Creates a receiver, which isn't started.
  ///
  /// - Parameters:
  ///   - plan: The plan of the faults.
  ///   - folder: The folder for the stored files.
  ///   - planted: The deliberate error.
  ///   - victim: The name of the file that the deliberate error affects.
  init(plan: FaultPlan, storingIn folder: URL, planted: PlantedError?, victim: String?) {
    self.plan = plan
    self.folder = folder
    let files = StoredFiles(folder: folder)
    let trouble = FaultSource(plan: plan, log: log, planted: planted)
    let handler: HTTPReceiver.Handler = { request in
      guard request.method == "PUT", let victim, request.fileName == victim else { return nil }
      switch planted {
      case .corrupt:
        var changed = request
        changed.body = Data(changed.body.dropLast() + [~(changed.body.last ?? 0)])
        return files.answer(changed)
      case .lose:
        return HTTPResponse(status: 201)
      case .accept, .insist, .hurry, nil:
        return nil
      }
    }
    receiver = HTTPReceiver(storingIn: folder, handler: handler, fault: trouble.fault)
  }

  /// Returns true if the text of an error is that of a refusal for good.
  static func isRefusal(_ text: String) -> Bool {
    refusals.contains { text.hasPrefix("\(UploadError.refused(status: $0))") }
  }

  /// The statuses for the files that the receiver refuses for good.
  fileprivate static let refusals = [403, 413]

  var url: URL { get throws { try receiver.url } }
  var restarts: HTTPReceiver.Restarts { receiver.restartsSoFar }

  func start() throws { try receiver.start() }
  func stop() { receiver.stop() }
}

/// Decides about each request, and records the decision.
private struct FaultSource: Sendable {
  let plan: FaultPlan
  let log: FaultLog
  let planted: FaultyReceiver.PlantedError?

  @Sendable func fault(of request: HTTPRequest) -> ConnectionFault? {
    guard request.method == "PUT", let file = request.fileName else { return nil }
    let attempt = log.beginRequest(for: file)
    guard let planned = plan.fault(for: file, attempt: attempt) else { return nil }
    log.add(planned.fault, of: file)
    switch planned.fault {
    case .failure: return .answers(.text("Something went wrong here.", status: 500))
    case .busy: return .answers(busyAnswer(to: file, detail: planned.detail))
    case .stall: return .stalls
    case .requestCut: return .cutsRequest(after: planned.detail)
    case .responseCut: return .cutsResponse(after: planned.detail)
    case .restart: return .restarts
    case .refusal: return planted == .accept ? nil : .answers(.text("Not this one.", status: refusal(of: file)))
    }
  }

  private func refusal(of file: String) -> Int {
    let statuses = FaultyReceiver.refusals
    return statuses[file.utf8.reduce(0) { $0 + Int($1) } % statuses.count]
  }

  /// Returns an answer that asks to wait: usually for 0 seconds, so that a soak isn't slow, or for 1, or until a date.
  private func busyAnswer(to file: String, detail: Double) -> HTTPResponse {
    var answer = HTTPResponse.text("There is too much to do here.", status: 503)
    let now = Date()
    if detail < 1.0 / 16 {
      answer.headers["Retry-After"] = "1"
      log.addWait(until: now.addingTimeInterval(1), of: file)
    } else if detail < 1.0 / 8 {
      // A date has whole seconds, so this one is up to two seconds away.
      let date = Date(timeIntervalSince1970: (now.timeIntervalSince1970 + 1).rounded(.up))
      let forms = RetryAfter.DateForm.allCases
      answer.headers["Retry-After"] = RetryAfter.text(date, form: forms[Int(detail * 1_000) % forms.count])
      log.addWait(until: date, of: file)
    } else {
      answer.headers["Retry-After"] = "0"
    }
    if planted == .hurry { answer.headers["Retry-After"] = "0" }
    return answer
  }
}
