// swift-tools-version: 6.2
import PackageDescription

/// What every target of our own is built with: the Swift 6 language mode, and warnings as errors.
let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

let package = Package(
  name: "OperationFlow",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .library(name: "OperationFlow", targets: ["OperationFlow"]),
    .library(name: "OperationFlowTesting", targets: ["OperationFlowTesting"]),
    .library(name: "Flow_iOS", targets: ["Flow_iOS"]),
    .library(name: "Syrup", targets: ["Syrup"]),
    .executable(name: "flow-examples", targets: ["flow-examples"]),
  ],
  targets: [
    .target(name: "OperationFlow", swiftSettings: strict),
    // What tests of a user's own are written with; it needs no testing framework.
    .target(name: "OperationFlowTesting", dependencies: ["OperationFlow"], swiftSettings: strict),
    .target(name: "Flow_iOS", dependencies: ["OperationFlow"], swiftSettings: strict),
    .target(name: "Syrup", dependencies: ["OperationFlow"], swiftSettings: strict),
    .executableTarget(name: "flow-examples", dependencies: ["OperationFlow"], swiftSettings: strict),
    .executableTarget(name: "flow-benchmarks", dependencies: ["OperationFlow"], swiftSettings: strict),
    .testTarget(name: "OperationFlowTests", dependencies: ["OperationFlow"], swiftSettings: strict),
    // The code of the documents, which uses what is public and nothing else.
    .testTarget(
      name: "DocumentationTests", dependencies: ["OperationFlow", "OperationFlowTesting"], swiftSettings: strict),
    .testTarget(
      name: "OperationFlowTestingTests", dependencies: ["OperationFlow", "OperationFlowTesting"],
      swiftSettings: strict),
    // Two clients of each drop-in module, one for each language mode that a predecessor's user may be in.
    .testTarget(name: "Flow_iOSTests", dependencies: ["Flow_iOS"], swiftSettings: strict),
    .testTarget(
      name: "Flow_iOSSwift5Tests", dependencies: ["Flow_iOS"],
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
    .testTarget(name: "SyrupTests", dependencies: ["Syrup"], swiftSettings: strict),
    .testTarget(
      name: "SyrupSwift5Tests", dependencies: ["Syrup"],
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
  ]
)
