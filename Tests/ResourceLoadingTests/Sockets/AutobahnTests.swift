import Foundation
import TestSupport
import Testing

@testable import ResourceLoading

struct AutobahnReaderTests {
  /// What a reader makes of bytes, up to a violation.
  private struct Outcome: Hashable {
    var events: [WebSocketReader.Event] = []
    var violation: UInt16?
  }

  private func read(_ pieces: [some Collection<UInt8>]) -> Outcome {
    var reader = WebSocketReader(limit: 1 << 20)
    var outcome = Outcome()
    do throws(WebSocketViolation) {
      for piece in pieces { try reader.read(piece, into: &outcome.events) }
    } catch {
      outcome.violation = error.code.rawValue
    }
    return outcome
  }

  @Test(arguments: AutobahnCase.all)
  func `however the bytes are split, a case has the same events`(test: AutobahnCase) {
    let bytes = test.pieces.flatMap { $0 }
    let whole = read([bytes])
    // What follows a close frame is ignored by the connection.
    let heard = whole.events.prefix { if case .close = $0 { false } else { true } }
    let messages = heard.compactMap { event in
      if case .message(let message) = event { message } else { nil }
    }

    #expect(messages == test.messages)
    for split in bytes.indices { #expect(read([bytes[..<split], bytes[split...]]) == whole) }
    #expect(read(bytes.map { [$0] }) == whole)
  }
}

#if Curl && canImport(CResourceCurl)
  /// The client against a server that isn't ours: frames as they are, on the connections of Python's
  /// `wsproto`, where it is installed.
  @Suite(
    .inTurn, .serialized, .timeLimit(.minutes(15)),
    .enabled("Python has no wsproto module") { await PythonServer.has("wsproto") }
  )
  struct AutobahnTests {
    /// What the server has seen.
    private struct Seen: Decodable {
      var messages: Int
      var differing: Int
      var pongs: [String]
      /// The code of the client's close frame: 1005 for one without a code.
      var code: Code
      var error: String

      enum Code: Decodable, Equatable {
        case number(Int)
        case none

        init(from decoder: any Decoder) throws {
          self = (try? decoder.singleValueContainer().decode(Int.self)).map(Code.number) ?? .none
        }
      }
    }

    /// Connects, sends all messages back, and returns them with what the server has seen.
    private func run(
      _ server: PythonServer, _ client: Client, _ query: QueryItems, compresses: Bool = false
    ) async throws -> (messages: [WebSocket.Message], seen: Seen) {
      let socket = client.socket(Request(.get, url: server.url, query: query)) {
        $0.compresses = compresses
      }
      var messages: [WebSocket.Message] = []
      let connection = try await socket.connect()
      do {
        for try await message in connection.messages {
          messages.append(message)
          try await connection.send(message)
        }
      } catch is LoadError {
        // What the case is about; the server says how it was closed.
      }
      await connection.close()
      let line = try #require(await server.nextLine())
      return (messages, try JSONDecoder().decode(Seen.self, from: Data(line.utf8)))
    }

    @Test func `the cases of groups 1 to 7 have their messages, pongs and codes`() async throws {
      let server = try await PythonServer(Self.script)
      defer { server.stop() }
      let client = Client()

      for test in AutobahnCase.all {
        let pieces = test.pieces.map { $0.map { String(format: "%02x", $0) }.joined() }
        let (messages, seen) = try await run(
          server, client,
          [
            "pieces": pieces.joined(separator: "-"),
            "echoes": "\(test.endsWell ? test.messages.count : 0)",
            "ends": test.endsWell ? "well" : "badly",
          ])

        #expect(messages == test.messages, "\(test.number)")
        if test.endsWell { #expect(seen.messages == test.messages.count, "\(test.number)") }
        #expect(seen.error == "", "\(test.number)")
        #expect(seen.code == .number(Int(test.code ?? 1005)), "\(test.number)")
        let pongs = test.pongs.map { $0.map { String(format: "%02x", $0) }.joined() }
        #expect(seen.pongs == pongs, "\(test.number)")
      }
    }

    /// Runs one case after another against one server, all of which have to come back.
    private func run(_ loads: [AutobahnLoad]) async throws {
      let server = try await PythonServer(Self.script)
      defer { server.stop() }
      let client = Client()
      for load in loads {
        let (_, seen) = try await run(
          server, client, load.query, compresses: load.agreement != nil)

        #expect(seen.messages == load.count, "\(load.number)")
        #expect(seen.differing == 0, "\(load.number)")
        #expect(seen.error == "", "\(load.number)")
        #expect(seen.code == .number(1000), "\(load.number)")
      }
    }

    @Test func `messages of any size, in frames and pieces of any size, come back`() async throws {
      try await run(AutobahnLoad.sizes)
    }

    @Test func `compressed messages of any kind come back`() async throws {
      try await run(AutobahnLoad.compressed)
    }

    @Test func `compressed messages come back, whatever was agreed on`() async throws {
      try await run(AutobahnLoad.agreements)
    }

    private static let script = #"""
      import json, random, socket, threading
      from urllib.parse import urlsplit, parse_qs
      from wsproto import WSConnection, ConnectionType
      from wsproto.events import *
      from wsproto.extensions import PerMessageDeflate
      from wsproto.utilities import RemoteProtocolError

      def content(kind, number, size):
          unit = {
              "text": "%d Hello-µ@ßöäüàá-UTF-8!! ",
              "json": '{"id": %d, "name": "Ångström", "tags": ["a", "b"], "price": 12.50},\n',
              "prose": "%d Habe nun, ach! Philosophie, Juristerei und Medizin durchaus studiert. ",
              "html": '<li class="entry"><a href="/entries/%d">An entry</a> &mdash; 漢字</li>\n',
          }.get(kind)
          if unit is None:
              random.seed(number)
              # Of an image, neighbours are alike; of noise, nothing is.
              levels = range(96, 112) if kind == "image" else range(256)
              block = bytes(random.choices(levels, k=4096))
              return (block * (size // 4096 + 1))[:size]
          if size < 64: return "*" * size
          lines = "".join(unit % (number + line) for line in range(64)).encode()
          text = (lines * (size // len(lines) + 1))[:size].decode(errors="ignore")
          return text + "." * (size - len(text.encode()))

      def serve(connection):
          connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
          ws = WSConnection(ConnectionType.SERVER)
          result = {"messages": 0, "differing": 0, "pongs": [], "code": "none", "error": ""}
          def events():
              while True:
                  data = connection.recv(1 << 16)
                  ws.receive_data(data or None)
                  yield from ws.events()
                  if not data: return
          def messages(arriving):
              parts = []
              for event in arriving:
                  if isinstance(event, Message):
                      parts.append(event.data)
                      if event.message_finished:
                          yield parts[0][:0].join(parts)
                          parts = []
                  elif isinstance(event, Pong): result["pongs"].append(bytes(event.payload).hex())
                  elif isinstance(event, CloseConnection):
                      result["code"] = event.code
                      return
          try:
              arriving = events()
              request = next(arriving)
              plan = {name: values[0] for name, values in parse_qs(urlsplit(request.target).query).items()}
              extensions = []
              if "deflate" in plan:
                  extensions = [PerMessageDeflate(**json.loads(plan["deflate"]))]
              connection.sendall(ws.send(AcceptConnection(extensions=extensions)))
              received = messages(arriving)
              def expect(sent):
                  answer = next(received, None)
                  result["messages"] += 1
                  if answer != sent: result["differing"] += 1
              if "pieces" in plan:
                  for piece in plan["pieces"].split("-"): connection.sendall(bytes.fromhex(piece))
                  for _ in range(int(plan["echoes"])):
                      if next(received, None) is not None: result["messages"] += 1
                  pongs = int(plan.get("pongs", 0))
              else:
                  size, count, part = int(plan["size"]), int(plan["count"]), int(plan["part"])
                  chop = int(plan["chop"])
                  for number in range(count):
                      sent = content(plan["kind"], number, size)
                      frames = []
                      for start in range(0, max(len(sent), 1), part or size + 1):
                          end = start + (part or size + 1)
                          frames.append(ws.send(Message(data=sent[start:end], message_finished=end >= len(sent))))
                      frames = b"".join(frames)
                      for start in range(0, len(frames), chop or len(frames)):
                          connection.sendall(frames[start:start + (chop or len(frames))])
                      expect(sent)
              if plan.get("ends") == "well": connection.sendall(ws.send(CloseConnection(code=1000)))
              for _ in received: result["messages"] += 1
          except RemoteProtocolError as error: result["error"] = "protocol: %s" % error
          except OSError as error: result["error"] = "connection: %s" % error
          except Exception as error: result["error"] = repr(error)
          connection.close()
          print(json.dumps(result), flush=True)

      server = socket.create_server(("127.0.0.1", 0), backlog=100)
      print(server.getsockname()[1], flush=True)
      while True: threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()

      """#
  }
#endif
