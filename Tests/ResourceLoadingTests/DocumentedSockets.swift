import Dispatch
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

// Samples of the documentation of sockets.

func exchangeGreetings(_ client: Client) async throws {
  let socket = client.socket(.get("/live"))
  try await socket.withConnection { connection in
    try await connection.send("hello")
    for try await message in connection.messages {
      print(message)
      break
    }
  }
}

func greet(_ client: Client) async throws {
  let socket = client.socket(.get("/live"))
  try await socket.withConnection { connection in
    try await connection.send("hello")
    for try await message in connection.messages { print(message) }
  }
}

func subscribe(_ client: Client) async throws {
  let messages = client.socket(.get("/live")).messages { connection in
    try await connection.send("subscribe")
  }
  for try await message in messages { print(message) }
}

func followPrices(_ client: Client) async throws {
  struct Price: Decodable, Sendable { let symbol: String, amount: Double }

  let prices = client.socket(.get("/prices")).values(of: Price.self) { connection in
    try await connection.send(#"{"subscribe": "ACME"}"#)
  }
  for try await price in prices { print(price.symbol, price.amount) }
}

func waitForever(_ client: Client) async throws {
  var patient = WebSocket.reconnectionPolicy
  patient.maximumAttempts = .max
  let messages = client.socket(.get("/prices")).messages(reconnecting: patient)
  for try await message in messages { print(message) }
}

func listen(_ client: Client) {
  let task = client.socket(.get("/live")).listen { event in
    switch event {
    case .message(let message): print(message)
    case .ended(let error): print(error ?? "closed")
    }
  }
  task.cancel()

  client.socket(.get("/live")).promise()
    .then { $0.promise(sending: "hello") }
    .done { print("sent") }
}

func listenOnTheMainQueue(_ client: Client) {
  let task = client.socket(.get("/live")).listen(on: DispatchQueue.main) { event in
    print(event)
  }
  task.cancel()
}

#if Curl && canImport(CResourceCurl)
  @Suite(.inTurn, .timeLimit(.minutes(15)))
  struct DocumentedSocketsTests {
    @Test func `the samples talk to a server`() async throws {
      let server = try LoopbackServer {
        LoopbackRoute("GET /live") { _ in
          .socket { socket in
            guard let greeting = try socket.receive() else { return }
            try socket.send(greeting)
            try socket.close()
            _ = try socket.nextEvent()
          }
        }
        LoopbackRoute("GET /prices") { _ in
          .socket { socket in
            _ = try socket.receive()
            try socket.send(#"{"symbol": "ACME", "amount": 1.5}"#)
            try socket.close()
            _ = try socket.nextEvent()
          }
        }
      }
      defer { server.stop() }
      let client = Client(baseURL: server.url())

      try await exchangeGreetings(client)
      try await greet(client)
      try await subscribe(client)
      try await followPrices(client)

      #expect(server.requests.count == 4)
    }
  }
#endif
