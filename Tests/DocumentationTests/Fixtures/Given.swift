// What stands for the things that code before a block has made; the flow is the one that the block before has made.

#if canImport(UIKit)
  import UIKit
#endif
#if canImport(SwiftUI)
  import SwiftUI
#else
  // The two names of Combine's that models of views have.
  protocol ObservableObject: AnyObject {}
  @propertyWrapper struct Published<Value> { var wrappedValue: Value }
#endif

nonisolated(unsafe) var given: (flow: Flow, outcome: FlowOutcome?) = (Flow(), nil)
var flow: Flow { given.flow }
var outcome: FlowOutcome { given.outcome ?? made() }
var run: FlowRun { flow.start() }
let directory = FileManager.default.temporaryDirectory.appendingPathComponent("documents")
let file = directory.appendingPathComponent("record")

/// What nothing asks for when the code is run.
func made<Value>() -> Value { fatalError() }
