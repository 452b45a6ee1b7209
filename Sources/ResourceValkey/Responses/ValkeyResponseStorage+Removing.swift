#if Valkey && canImport(CResourceHiredis)
  internal import Foundation
  internal import ResourceCache

  // Removing.
  extension ValkeyResponseStorage {
    func removals(of scope: CacheScope, _ state: ResponseState) -> [Command] {
      guard case .groups(let groups) = scope else { return [removal(of: scope, state)] }
      return groups.map { group in
        let hash = state.hash(group)
        return Command(
          ResponseScripts.remove, keys: [stateKey, state.groupToken(hash)],
          [.data(state.history), .text(state.groupRemoval(hash)), .data(Self.newToken()), ""])
      }
    }

    private func removal(of scope: CacheScope, _ state: ResponseState) -> Command {
      var keys = [stateKey]
      var (name, index) = ("c", "")
      switch scope {
      case .entry(let key):
        let key = state.keys(of: key)
        keys.append(key.content)
        name = key.entryRemoval
      case .url(let url):
        let key = state.keys(of: CacheKey(url: url, partition: .anonymous))
        keys += [key.urlToken, key.content]
        name = key.urlRemoval
      case .partition(let partition):
        let key = state.keys(of: CacheKey(url: "", partition: partition))
        keys.append(key.partitionToken)
        (name, index) = (key.partitionRemoval, key.isPrivate ? key.index : "")
      case .groups, .credentials, .everything: break
      }
      return Command(
        ResponseScripts.remove, keys: keys,
        [.data(state.history), .text(name), .data(Self.newToken()), .text(index)])
    }

    /// Deletes keys by their names. None of them is used any more, but their contents must not
    /// remain.
    func sweep(_ pattern: String) async throws {
      var cursor = Command.Argument.text("0")
      repeat {
        let position = cursor
        let replies = try await server.run { _ in
          [Command("SCAN", position, "MATCH", .text(pattern), "COUNT", "1000")]
        }
        let found = replies?.first?.array ?? []
        // A pattern can't say that a prefix doesn't go on with digits of its own.
        let keys = (found.last?.array.compactMap(\.data) ?? []).filter(isOwn)
        if !keys.isEmpty {
          _ = try await server.run { _ in [Command(["UNLINK"] + keys.map { .data($0) })] }
        }
        cursor = .data(found.first?.data ?? Data("0".utf8))
      } while !cursor.isZero
    }

    /// Whether a key has the prefix, the number of a history, and a name of one letter.
    private func isOwn(_ key: Data) -> Bool {
      let parts = key.dropFirst(server.prefix.utf8.count).split(
        separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
      return parts.count == 4 && parts[0].isEmpty && parts[2].count == 1
        && parts[1].allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
  }

  extension Command.Argument {
    fileprivate var isZero: Bool {
      if case .data(let data) = self { data == Data("0".utf8) } else { false }
    }
  }
#endif
