import Foundation
import OperationFlow

extension FlowKey where Value == [String] {
  fileprivate static var photos: Self { "photos" }
}

extension Example {
  /// The same without any class: a step that lists a folder, and a group that awaits the upload of each file.
  static let uploadNewStyle = Example(name: "upload, new style") { output in
    try await UploadSite.open(fileCount: 6, refusing: "photo-05.jpg") { site in
      let outcome = await Flow("Upload")
        .set(.folder, to: site.folder)
        .set(.server, to: site.server)
        .add("list") { context in
          context[.photos] = try FileManager.default.contentsOfDirectory(atPath: context.require(.folder).path).sorted()
        }
        .forEach(.photos, into: .links, width: 3, tolerating: .all) { name, context in
          let link = try context.require(.server).appending(component: name)
          try await FileTransfer.upload(context.require(.folder).appending(component: name), to: link)
          context.log("\(name) is stored")
          return link
        }
        .run()

      output.show(outcome)
      try expect(outcome.isSuccess && outcome.report[.links]?.count == 5, "5 of 6 files are uploaded")
      try expect(outcome.report.itemFailures.map(\.index) == [4], "the fifth is refused")
      try site.expectAllStored()
      output.say("5 files were stored; 1 was refused")
    }
  }
}
