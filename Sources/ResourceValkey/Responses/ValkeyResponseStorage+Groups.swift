#if Valkey && canImport(CResourceHiredis)
  internal import Foundation
  internal import ResourceCache

  // Groups of responses (RFC 9875).
  extension ValkeyResponseStorage {
    /// Returns the groups whose tokens are still the same. They are read after the responses, so
    /// that a removal in between is noticed.
    func validGroups(in groups: Set<GroupToken>) async throws -> Set<GroupToken> {
      let groups = Array(groups)
      return try await use { state in
        [
          Command(["MGET"] + groups.map { .text(state.groupToken($0.hash)) }),
          Command("HGET", .text(self.stateKey), "h"),
        ]
      } reading: { state, replies in
        guard replies[1].data == state.history else { return nil }
        let tokens = replies[0].array.map(\.data)
        return Set(zip(groups, tokens).filter { $0.token == $1 }.map(\.0))
      }
    }
  }

  /// A group with its token, as they are stored with a variant.
  struct GroupToken: Hashable {
    let hash: Data
    let token: Data

    static let hashSize = 16
    static let size = hashSize + 8
  }

  extension Data {
    /// Reads the groups of a variant.
    var groupTokens: [GroupToken] {
      stride(from: startIndex, to: endIndex, by: GroupToken.size).map { start in
        let bytes = self[start...].prefix(GroupToken.size)
        return GroupToken(
          hash: Data(bytes.prefix(GroupToken.hashSize)),
          token: Data(bytes.dropFirst(GroupToken.hashSize)))
      }
    }
  }
#endif
