// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "OperationFlow",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .library(name: "OperationFlow", targets: ["OperationFlow"]),
    .library(name: "OperationFlowDurable", targets: ["OperationFlowDurable"]),
    .library(name: "OperationFlowObservation", targets: ["OperationFlowObservation"]),
    .library(name: "OperationFlowProgressions", targets: ["OperationFlowProgressions"]),
    .library(name: "OperationFlowReports", targets: ["OperationFlowReports"]),
    .library(name: "OperationFlowStepFunctions", targets: ["OperationFlowStepFunctions"]),
    .library(name: "OperationFlowTesting", targets: ["OperationFlowTesting"]),
    .library(name: "Flow_iOS", targets: ["Flow_iOS"]),
    .library(name: "Syrup", targets: ["Syrup"]),
    .executable(name: "flow-store", targets: ["flow-store"]),
  ],
  targets: [
    .target(name: "OperationFlow"),
    // Values as they are stored, and files that survive a power failure; it is no product.
    .target(name: "OperationFlowStorage", dependencies: ["OperationFlow"]),
    // Runs that resume after the end of their process: stores, journals, and what a run needs of them.
    .target(name: "OperationFlowDurable", dependencies: ["OperationFlow", "OperationFlowStorage"]),
    // Runs that can be watched: by a view, with the language's own Observation, and by Foundation's `Progress`.
    .target(name: "OperationFlowObservation", dependencies: ["OperationFlow"]),
    // Workflows as values. They are a module of their own, since `Deferred` is a name of Combine's as well.
    .target(name: "OperationFlowProgressions", dependencies: ["OperationFlow", "OperationFlowStorage"]),
    // The record of a run as a value, and what is made from it: details, diagrams, timelines, traces, metrics, and a page.
    .target(
      name: "OperationFlowReports", dependencies: ["OperationFlow"], resources: [.embedInCode("Page/Web")]),
    // The same flow on AWS Step Functions: the export of its blueprint, workers that perform its steps, and a client.
    .target(
      name: "OperationFlowStepFunctions",
      dependencies: ["OperationFlow", "OperationFlowReports", "OperationFlowStorage"]),
    // What tests of a user's own are written with; it needs no testing framework.
    .target(name: "OperationFlowTesting", dependencies: ["OperationFlow"]),
    .target(name: "Flow_iOS", dependencies: ["OperationFlow"]),
    .target(name: "Syrup", dependencies: ["OperationFlow", "OperationFlowProgressions"]),
    // The programs of the cookbook, each a file; the tool that uploads; the server on this machine to which they upload;
    // and the drills, which try that tool hard.
    .executableTarget(
      name: "flow-examples",
      dependencies: [
        "OperationFlow", "OperationFlowDurable", "OperationFlowObservation", "OperationFlowProgressions",
        "OperationFlowReports", "Uploader", "UploadServer",
      ], exclude: ["Server", "Upload"]),
    .target(
      name: "Uploader", dependencies: ["OperationFlow", "OperationFlowDurable", "OperationFlowReports"],
      path: "Sources/flow-examples/Upload"),
    .target(name: "UploadServer", dependencies: ["OperationFlow", "Uploader"], path: "Sources/flow-examples/Server"),
    .executableTarget(
      name: "flow-drills",
      dependencies: [
        "OperationFlow", "OperationFlowDurable", "OperationFlowReports", "OperationFlowStepFunctions", "Uploader",
        "UploadServer",
      ],
      path: "Tests/flow-drills"),
    // What operators have for the folder of a file store.
    .executableTarget(
      name: "flow-store", dependencies: ["OperationFlow", "OperationFlowDurable", "OperationFlowReports"]),
    .executableTarget(
      name: "flow-benchmarks",
      dependencies: ["OperationFlow", "OperationFlowDurable", "OperationFlowProgressions", "OperationFlowReports"]),
    // What the tests of several modules wait with and count with, and what names a test that hangs.
    .target(name: "TestSupport", dependencies: ["OperationFlow", "OperationFlowDurable"], path: "Tests/TestSupport"),
    // The public names of Combine, which exists on Apple's platforms alone.
    .target(name: "CombineStandIn", path: "Tests/CombineStandIn"),
    // What the core promises, told by what is public.
    .testTarget(
      name: "OperationFlowTests",
      dependencies: [
        "OperationFlow", "OperationFlowDurable", "OperationFlowObservation", "OperationFlowReports",
        "OperationFlowTesting", "CombineStandIn", "TestSupport",
      ]),
    // The parts of the core alone, and what else names what is internal.
    .testTarget(
      name: "OperationFlowEngineTests",
      dependencies: [
        "OperationFlow", "OperationFlowDurable", "OperationFlowObservation", "OperationFlowReports",
        "OperationFlowTesting", "TestSupport",
      ]),
    .testTarget(
      name: "OperationFlowDurableTests",
      dependencies: [
        "OperationFlow", "OperationFlowDurable", "OperationFlowReports", "OperationFlowTesting", "TestSupport",
      ]),
    .testTarget(
      name: "OperationFlowObservationTests", dependencies: ["OperationFlow", "OperationFlowObservation", "TestSupport"]),
    .testTarget(
      name: "OperationFlowProgressionsTests",
      dependencies: [
        "OperationFlow", "OperationFlowObservation", "OperationFlowProgressions", "OperationFlowReports", "TestSupport",
      ]),
    .testTarget(
      name: "OperationFlowReportsTests",
      dependencies: [
        "OperationFlow", "OperationFlowDurable", "OperationFlowReports", "OperationFlowTesting", "TestSupport",
      ],
      exclude: ["Samples"]),
    .testTarget(
      name: "OperationFlowStepFunctionsTests",
      dependencies: [
        "OperationFlow", "OperationFlowDurable", "OperationFlowReports", "OperationFlowStepFunctions", "TestSupport",
      ]),
    // Type-checks the code of the documents, and calls that are wrong, with the modules of the build.
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "OperationFlow", "OperationFlowDurable", "OperationFlowObservation", "OperationFlowProgressions",
        "OperationFlowReports",
        "OperationFlowStepFunctions", "OperationFlowTesting", "Flow_iOS", "Syrup", "TestSupport", "UploadServer",
      ], exclude: ["Fixtures"]),
    .testTarget(
      name: "OperationFlowTestingTests",
      dependencies: [
        "OperationFlow", "OperationFlowDurable", "OperationFlowProgressions", "OperationFlowReports",
        "OperationFlowTesting", "TestSupport",
      ]),
    .testTarget(
      name: "ExamplesTests",
      dependencies: [
        "flow-drills", "flow-examples", "OperationFlowDurable", "OperationFlowProgressions", "TestSupport", "Uploader",
        "UploadServer",
      ],
      exclude: ["Expected"]),
    .testTarget(
      name: "FlowStoreToolTests",
      dependencies: ["flow-store", "OperationFlow", "OperationFlowDurable", "OperationFlowReports", "TestSupport"]),
    // Two clients of each drop-in module, one for each language mode that a predecessor's user may be in.
    // What both have is in the folder BothModes of the first, to which the second has a link.
    .testTarget(name: "Flow_iOSTests", dependencies: ["Flow_iOS", "TestSupport"]),
    .testTarget(
      name: "Flow_iOSSwift5Tests", dependencies: ["Flow_iOS", "TestSupport"], swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(name: "SyrupTests", dependencies: ["Syrup", "TestSupport"]),
    .testTarget(
      name: "SyrupSwift5Tests", dependencies: ["Syrup", "TestSupport"], swiftSettings: [.swiftLanguageMode(.v5)]),
  ]
)
