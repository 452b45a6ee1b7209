import Foundation
import TestSupport
import Testing

@testable import ResourceLoading

/// An invalid request is refused before anything is sent.
@Suite(.inTurn)
struct WireRequestTests {
  private func makeRequest(_ change: (inout Request) -> Void) throws -> Request {
    var request = Request(url: try #require(URL(string: "http://h/p")))
    change(&request)
    return request
  }

  private func refusal(_ change: (inout Request) -> Void) throws -> String? {
    let request = try makeRequest(change)
    let error = #expect(throws: LoadError.self) { try WireRequest(request) }
    #expect(error?.kind == .invalidRequest)
    return error?.reason
  }

  @Test(arguments: ["GET\r\nX: y", "", "G ET", "GÉT", "GET\0"])
  func `a method that isn't a token is refused`(_ method: String) throws {
    #expect(try refusal { $0.method = .init(rawValue: method) }?.contains("isn't a token") == true)
  }

  @Test(arguments: ["X\r\nY", "X:", "", "X Y", "Ü"])
  func `a header name that isn't a token is refused`(_ name: String) throws {
    let reason = try refusal { $0.headers.append(.init(rawValue: name), "1") }

    #expect(reason?.contains("isn't a token") == true)
  }

  @Test(arguments: ["a\r\nX: y", "a\nb", "a\0b", "\r"])
  func `a header value with a line break or NUL is refused`(_ value: String) throws {
    #expect(
      try refusal { $0.headers["X"] = value }?.contains("line break or another control character")
        == true)
  }

  @Test(arguments: [Request.Method.get, .head])
  func `a body is refused for methods without one`(_ method: Request.Method) throws {
    let reason = try refusal {
      $0.method = method
      $0.body = .text("x")
    }

    #expect(reason == "a \(method) request can't have a body")
  }

  @Test func `a path without a base URL is refused with advice`() {
    let error = #expect(throws: LoadError.self) { try WireRequest(.get("users/1")) }

    #expect(error?.reason == "the request has only a path, users/1")
    #expect(error?.advice?.contains("base URL") == true)
  }

  @Test func `user info becomes a Basic credential and is removed from the URL`() throws {
    let request = Request(url: try #require(URL(string: "HTTP://us%20er:p%40ss@h:81/p?q#f")))

    let wire = try WireRequest(request)

    #expect(wire.url.absoluteString == "http://h:81/p?q")
    #expect(wire.headers[.authorization] == "Basic dXMgZXI6cEBzcw==")
  }

  @Test func `a body sets its media type unless the headers have one`() throws {
    let own = try makeRequest {
      $0.method = .post
      $0.body = .text("x")
    }
    let given = try makeRequest {
      $0.method = .post
      $0.body = .data(Data("x".utf8))
      $0.headers[.contentType] = "a/b"
    }

    #expect(try WireRequest(own).headers[.contentType] == "text/plain; charset=utf-8")
    #expect(try WireRequest(given).headers[.contentType] == "a/b")
  }
}
