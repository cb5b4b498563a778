import Foundation
import OperationFlow
import UploadServer
import Uploader

extension FlowKey where Value == [String] {
  fileprivate static var names: Self { "names" }
  /// The addresses of the stored files.
  static var addresses: Self { "addresses" }
}

extension Flow {
  /// Creates a flow that uploads the files of a folder from several machines.
  ///
  /// Each step declares what it reads and writes, so that its values can be sent to other machines. The folder and the
  /// server are the same for all workers, so they are part of the flow and not of its data.
  static func distributedUpload(_ folder: URL, to server: URL) -> Flow {
    Flow("Distributed upload")
      .add("list", .writes(.names)) { $0[.names] = try FolderListing(of: folder).files.compactMap(\.text) }
      .forEach(
        .names, into: .addresses, width: 6, .named("upload"), .retry(.attempts(4, delay: .seconds(1))),
        .timeout(.seconds(30))
      ) { name, context in
        let address = server.appending(component: name)
        try await FileTransfer.upload(folder.appending(component: name), to: address)
        return address.absoluteString
      }
      .add("check", .reads(.names, .addresses)) { context in
        let (names, addresses) = (try context.require(.names), try context.require(.addresses))
        try expect(names.count == addresses.count, "each file has an address")
      }
  }
}
