import Foundation
import Observation
import OperationFlow
import TestSupport
import Testing

#if canImport(SwiftUI)
  import SwiftUI
#endif
#if canImport(UIKit) && !os(watchOS)
  import UIKit
#endif

nonisolated extension FlowKey where Value == String {
  static var username: Self { "username" }
}

nonisolated final class WelcomeOp: FlowOperation, @unchecked Sendable {
  @FlowInput(.username) var username

  override func run() async throws {
    log(message: "welcome, \(username)")
  }
}

@MainActor final class Screen {
  var title = ""

  func welcoming(_ name: String) -> Flow {
    Flow("Welcome")
      .set("name", to: name)
      .add("show") { @MainActor context async throws in
        let name: String = try context.require("name")
        self.title = "Hello, \(name)"
      }
  }
}

func converting(_ pages: [String]) -> Flow {
  Flow("Convert")
    .set(.pages, to: pages)
    .forEach(.pages, width: 2) { page, _ in try await convert(page) }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
@MainActor @Observable
final class ConvertModel {
  private(set) var progress: Progress?
  private(set) var message = ""

  func convert(_ pages: [String]) async {
    let run = converting(pages).start()
    progress = run.progress
    let outcome = await withTaskCancellationHandler {
      await run.outcome
    } onCancel: {
      run.cancel()
    }
    progress = nil
    message =
      switch outcome {
      case .succeeded: "Converted"
      case .failed(let error, _): "Failed: \(error)"
      case .cancelled: "Cancelled"
      }
  }
}

#if canImport(SwiftUI)
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  struct ConvertView: View {
    let pages: [String]
    @State private var model = ConvertModel()

    var body: some View {
      VStack {
        if let progress = model.progress {
          TimelineView(.periodic(from: .now, by: 0.1)) { _ in
            ProgressView(value: progress.isIndeterminate ? nil : progress.fractionCompleted)
          }
        }
        Text(model.message)
      }
      .task { await model.convert(pages) }
    }
  }
#endif

#if canImport(UIKit) && !os(watchOS)
  final class ConvertViewController: UIViewController {
    var pages: [String] = []
    private let bar = UIProgressView(progressViewStyle: .default)
    private var run: FlowRun?

    override func viewDidLoad() {
      super.viewDidLoad()
      view.addSubview(bar)
    }

    override func viewDidAppear(_ animated: Bool) {
      super.viewDidAppear(animated)
      let run = converting(pages).start()
      self.run = run
      Task { [weak self] in
        while run.currentOutcome == nil {
          self?.bar.progress = Float(run.progress.fractionCompleted)
          try? await Task.sleep(for: .milliseconds(100))
        }
        self?.title = run.currentOutcome?.isSuccess == true ? "Converted" : "Not converted"
      }
    }

    override func viewDidDisappear(_ animated: Bool) {
      super.viewDidDisappear(animated)
      run?.cancel()
    }
  }

  @MainActor func convertInBackground(_ pages: [String]) async -> FlowOutcome {
    let run = converting(pages).start()
    let time = UIApplication.shared.beginBackgroundTask(withName: "Convert") { run.cancel() }
    let outcome = await run.outcome
    UIApplication.shared.endBackgroundTask(time)
    return outcome
  }
#endif

/// The code of `main.swift`.
enum CommandLineTool {
  static func start() {
    Flow("Greet")
      .add("greet") { context in print("hello") }
      .start()
  }

  static func runToTheEnd() async {
    let outcome = await Flow("Greet")
      .add("greet") { context in context.log("hello") }
      .run()
    print(outcome.report.summary)
    exit(outcome.isSuccess ? 0 : 1)
  }

  static func handOverTheMainThread() {
    Flow("Greet")
      .add("greet") { context in context.log("hello") }
      .setDidFinishBlock { flow in
        print(flow.generateSummary())
        exit(flow.isSuccess ? 0 : 1)
      }
      .start()
    dispatchMain()
  }
}

@Suite(.watched) struct InAnAppTests {
  @Test @MainActor func `a step is on the main actor`() async {
    let screen = Screen()
    let outcome = await screen.welcoming("Ann").run()
    #expect(outcome.isSuccess && screen.title == "Hello, Ann")
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  @Test @MainActor func `a model tells how its run has ended, and drops the progress`() async {
    let model = ConvertModel()
    await model.convert(["a", "b"])
    #expect(model.message == "Converted" && model.progress == nil)
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  @Test @MainActor func `cancelling the task of a model cancels its run`() async {
    let model = ConvertModel()
    let hasStarted = Signal()
    withObservationTracking {
      _ = model.progress
    } onChange: {
      hasStarted.fire()
    }
    let task = Task { await model.convert(["endless"]) }
    await hasStarted.wait()
    task.cancel()
    await task.value
    #expect(model.message == "Cancelled")
  }

  @Test func `a tool that awaits its run prints the summary`() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      await CommandLineTool.runToTheEnd()
    }
    let output = try #require(result).standardOutputContent
    #expect(String(decoding: output, as: UTF8.self).contains("[greet] hello"))
  }
}
