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
        let keys = found.last?.array.compactMap(\.data) ?? []
        if !keys.isEmpty {
          _ = try await server.run { _ in [Command(["UNLINK"] + keys.map { .data($0) })] }
        }
        cursor = .data(found.first?.data ?? Data("0".utf8))
      } while !cursor.isZero
    }
  }

  extension Command.Argument {
    fileprivate var isZero: Bool {
      if case .data(let data) = self { data == Data("0".utf8) } else { false }
    }
  }
#endif
