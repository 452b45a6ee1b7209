#if Valkey && canImport(CResourceHiredis)
  internal import Foundation
  internal import ResourcePrimitives

  /// A command with its arguments, in the form in which it is sent
  /// (<https://valkey.io/topics/protocol/>).
  struct Command: Sendable {
    let bytes: [UInt8]
    /// The command to send if the server doesn't know the script.
    let whole: [UInt8]?

    enum Argument: Sendable, ExpressibleByStringLiteral {
      case text(String)
      case data(Data)
      case integer(Int64)

      init(stringLiteral text: String) { self = .text(text) }
    }

    /// Creates a command.
    init(_ arguments: Argument...) { self.init(arguments) }

    init(_ arguments: [Argument]) {
      bytes = Self.formatted(arguments)
      whole = nil
    }

    /// Creates the call of a script, which the server runs as one atomic operation.
    init(_ script: Script, keys: [String], _ arguments: [Argument]) {
      let rest = [.integer(Int64(keys.count))] + keys.map { .text($0) } + arguments
      bytes = Self.formatted(["EVALSHA", .text(script.hash)] + rest)
      whole = Self.formatted(["EVAL", .text(script.text)] + rest)
    }
  }

  extension Command {
    private static func formatted(_ arguments: [Argument]) -> [UInt8] {
      var bytes = Array("*\(arguments.count)\r\n".utf8)
      bytes.reserveCapacity(arguments.reduce(16) { $0 + 24 + $1.size })
      for argument in arguments {
        switch argument {
        case .text(let text): append(text.utf8)
        case .data(let data): append(data)
        case .integer(let number): append("\(number)".utf8)
        }
      }
      func append(_ argument: some Collection<UInt8>) {
        bytes += "$\(argument.count)\r\n".utf8
        bytes += argument
        bytes += "\r\n".utf8
      }
      return bytes
    }
  }

  extension Command.Argument {
    fileprivate var size: Int {
      switch self {
      case .text(let text): text.utf8.count
      case .data(let data): data.count
      case .integer: 20
      }
    }
  }

  /// A script in Lua, which the server keeps under its hash.
  struct Script: Sendable {
    let text: String
    let hash: String

    init(_ text: String) {
      self.text = text
      var hash = RunningSHA1()
      hash.update(Data(text.utf8))
      self.hash = SecureHash.hexadecimal(hash.finish())
    }
  }

  /// What the server replies.
  enum Reply: Sendable, Hashable {
    case null
    case integer(Int64)
    case data(Data)
    case array([Reply])
    /// An error, such as `OOM command not allowed when used memory > 'maxmemory'`.
    case failure(String)
  }

  extension Reply {
    var data: Data? { if case .data(let data) = self { data } else { nil } }

    var integer: Int64? {
      switch self {
      case .integer(let number): number
      case .data(let data): Int64(String(decoding: data, as: UTF8.self))
      case .null, .array, .failure: nil
      }
    }

    var array: [Reply] { if case .array(let replies) = self { replies } else { [] } }

    /// The beginning of an error, such as `OOM`.
    var failureCode: Substring? {
      if case .failure(let text) = self { text.prefix { $0 != " " } } else { nil }
    }
  }
#endif
