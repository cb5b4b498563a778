import Foundation

/// The files of one folder as a web resource: PUT stores one, GET returns it.
package struct StoredFiles: Sendable {
  package let folder: URL

  package init(folder: URL) { self.folder = folder }

  package func answer(_ request: HTTPRequest) -> HTTPResponse {
    switch request.method {
    case "PUT": withFile(of: request) { store(request.body, at: $0) }
    case "GET": withFile(of: request, load)
    default: notAllowed(request.method)
    }
  }

  private func withFile(of request: HTTPRequest, _ answer: (URL) -> HTTPResponse) -> HTTPResponse {
    guard let name = request.fileName else {
      return .text("The path is no plain file name. Send one such as /photo-01.jpg.", status: 400)
    }
    return answer(folder.appendingPathComponent(name, isDirectory: false))
  }

  private func store(_ body: Data, at file: URL) -> HTTPResponse {
    do {
      // Atomic, so that no one reads half a file, even if two clients send the same name.
      try body.write(to: file, options: .atomic)
      return HTTPResponse(status: 201)
    } catch {
      return .text(
        "The file was not stored: \(error.localizedDescription) Check the folder of the receiver.", status: 500)
    }
  }

  private func load(_ file: URL) -> HTTPResponse {
    do {
      let body = try Data(contentsOf: file)
      return HTTPResponse(status: 200, headers: ["Content-Type": "application/octet-stream"], body: body)
    } catch {
      return .text("There is no such file. PUT it first.", status: 404)
    }
  }

  private func notAllowed(_ method: String) -> HTTPResponse {
    var response = HTTPResponse.text("The method \(method) has no meaning here. Send GET or PUT.", status: 405)
    response.headers["Allow"] = "GET, PUT"
    return response
  }
}
