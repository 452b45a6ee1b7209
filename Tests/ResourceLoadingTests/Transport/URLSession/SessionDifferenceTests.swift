#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
  import ResourceLoading
  import ResourceTesting
  import TestSupport
  import Testing

  /// The article's statements about `URLSession` on Linux. When one of these fails, the platform
  /// has been fixed.
  @Suite(.inTurn, .timeLimit(.minutes(15)))
  struct SessionDifferenceTests {
    private func load(
      _ script: Script, over loader: any Loader = Client(.urlSession)
    ) async throws -> Result<LoadedResponse<Data>, any Error> {
      let server = try LoopbackServer { LoopbackRoute("*") { _ in script } }
      defer { server.stop() }
      var request = Request(url: server.url())
      request.options.acceptedStatuses = [.ok, 302]
      do { return .success(try await loader.response(for: .data(request))) } catch {
        return .failure(error)
      }
    }

    @Test func `a truncated br body is a success with a part of it`() async throws {
      let coding: KeyValuePairs = ["Content-Encoding": "br"]

      let whole = try await load(.response(headers: coding, body: Fault.brotli)).get()
      let cut = try await load(.response(headers: coding, body: Fault.brotli.prefix(6))).get()

      #expect(String(decoding: whole.value, as: UTF8.self) == "hello")
      #expect(cut.value.count < whole.value.count)
    }

    @Test func `the body of a 3xx without a Location is lost`() async throws {
      let script = Script.bytes(
        "HTTP/1.1 302 Found\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello")

      let own = try await load(script).get()
      let borrowed = try await load(script, over: makeSession()).get()

      #expect(own.value.isEmpty)
      #expect(own.response.headers["X-A"] == "b")
      #expect(borrowed.response.status == 302)
    }

    @Test(arguments: [1 << 20, 400 << 10]) func `the error of a large head has the kind connection`(
      _ size: Int
    ) async throws {
      let line = size == 1 << 20 ? String(repeating: "x", count: size) : "x"
      let lines = "X-A: \(line)\r\n"
      let count = max(1, size / lines.utf8.count)
      let script = Script.bytes(
        "HTTP/1.1 200 OK\r\n" + String(repeating: lines, count: count)
          + "Content-Length: 0\r\n\r\n")

      let failure = try await load(script).failure

      #expect((failure as? LoadError)?.kind == .connection, "\(String(describing: failure))")
    }
  }
#endif
