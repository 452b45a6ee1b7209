#if Valkey && canImport(CResourceHiredis)
  internal import Foundation

  /// A connection to a server, for one thread. Its calls block.
  final class ServerConnection {
    private let wire: any Wire
    private let timeLimit: Duration
    /// Identifies the server's process. A server that was restarted, or has replaced another one,
    /// may have lost the latest changes.
    let serverID: String
    /// Whether a command has succeeded. A server may have closed a connection that was used before.
    private(set) var wasUsed = false

    /// Connects and signs in.
    init(_ address: ValkeyAddress, _ settings: ValkeySettings) throws(ConnectionFailure) {
      let (limit, timeLimit) = (settings.connectTimeLimit, settings.timeLimit)
      if let tls = settings.tls, case .host(let name, let port) = address.place {
        wire = try EncryptedWire(name, port, tls, within: limit)
      } else {
        wire = try PlainWire(address.place, within: limit, limit: timeLimit)
      }
      self.timeLimit = timeLimit
      serverID = try Self.begin(wire, settings)
    }
  }

  extension ServerConnection {
    /// Sends commands together, and receives their replies. After an error the connection can't be
    /// used any more.
    func run(
      _ commands: [Command], within limit: Duration
    ) throws(ConnectionFailure) -> [Reply] {
      var replies = try Self.run(commands.map(\.bytes), wire, limit)
      for (index, command) in commands.enumerated() {
        guard replies[index].failureCode == "NOSCRIPT", let whole = command.whole else { continue }
        replies[index] = try Self.run([whole], wire, timeLimit)[0]
      }
      wasUsed = true
      return replies
    }

    /// Signs in, selects the database, and returns the identifier of the server's process.
    private static func begin(
      _ wire: any Wire, _ settings: ValkeySettings
    ) throws(ConnectionFailure) -> String {
      var commands: [Command] = []
      if let password = settings.password {
        let user = settings.username.map { [Command.Argument.text($0)] } ?? []
        commands.append(Command(["AUTH"] + user + [.text(password)]))
      }
      if settings.database != 0 {
        commands.append(Command("SELECT", .integer(Int64(settings.database))))
      }
      commands.append(Command("INFO", "server"))
      let replies = try run(commands.map(\.bytes), wire, settings.timeLimit)
      for case .failure(let reason) in replies { throw ConnectionFailure(reason) }
      let lines = String(decoding: replies.last?.data ?? Data(), as: UTF8.self)
        .split(whereSeparator: \.isNewline)
      guard let line = lines.first(where: { $0.hasPrefix("run_id:") }) else {
        throw ConnectionFailure("the server's INFO has no run_id")
      }
      return String(line.dropFirst("run_id:".count))
    }

    private static func run(
      _ commands: [[UInt8]], _ wire: any Wire, _ limit: Duration
    ) throws(ConnectionFailure) -> [Reply] {
      let end = ContinuousClock.now + limit
      try wire.send(commands, before: end)
      var replies: [Reply] = []
      for _ in commands { replies.append(try wire.nextReply(before: end)) }
      return replies
    }
  }
#endif
