import Foundation
import OperationFlow

/// Runs a group's operation for each of the files, under the file's name: a summary then shows `[photo-03.jpg #2]`.
struct FilesDispatcher: FlowGroupDispatcher {
  let maxConcurrentOperationCount: Int
  let allowFailure: Bool

  func items(in bucket: DataBucket) throws -> FlowGroupItems {
    FlowGroupItems(try bucket.require(.files), name: FlowKey.files.name)
  }

  func operation(
    for item: any Sendable, at index: Int, creator: any FlowOperationCreator.Type
  ) throws -> FlowOperation {
    let operation = creator.create()
    operation.name = (item as? FileName)?.description
    return operation
  }

  func collect(_ results: FlowGroupResults) throws -> [String: any Sendable] {
    [FlowKey.links.name: results.outputs.compactMap { $0 as? URL }]
  }
}
