/// The place in a test that expects something.
package struct CallSite: Sendable {
  package let fileID: String
  package let filePath: String
  package let line: Int
  package let column: Int

  package init(_ fileID: String, _ filePath: String, _ line: Int, _ column: Int) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }
}
