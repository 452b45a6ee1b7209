package import Foundation
package import ResourceLoading

/// A storage that can list its responses, for tools that show them.
package protocol ListedResponseStorage: ResponseStorage {
  /// Lists the responses, the latest used ones first; `nil` if that isn't possible.
  func list(_ request: ResponseListRequest) async throws -> ResponseList?
}

package struct ResponseListRequest: Sendable {
  /// The most responses.
  package let limit: Int
  /// The key for hashes of partitions.
  let hashKey: HashKey
  /// Returns URLs in the form of ``CacheKey/url``, by which a storage of hashes recognises its own.
  private let urls: @Sendable () -> [String]

  package init(limit: Int, hashKey: HashKey, urls: @escaping @Sendable () -> [String]) {
    (self.limit, self.hashKey, self.urls) = (limit, hashKey, urls)
  }
}

extension ResponseListRequest {
  /// Returns the known URLs by their hashes.
  package func urls(by key: HashKey) -> [Data: String] {
    Dictionary(Set(urls()).map { (key.hash($0), $0) }) { first, _ in first }
  }
}

/// The latest used responses of a storage.
package struct ResponseList: Sendable {
  package var responses: [ListedResponse]
  /// The number of all responses.
  package var count: Int
  /// The bytes of all responses.
  package var size: Int
  /// The date from which the clock was set back; see ``CacheDecision``.
  package var setBackFrom: Date?
  /// The number of failed removals. What they cover isn't used.
  package var failedRemovals = 0

  package init(responses: [ListedResponse], count: Int, size: Int) {
    (self.responses, self.count, self.size) = (responses, count, size)
  }
}

/// A response in a list.
package struct ListedResponse: Sendable {
  /// `nil` if the storage has only a hash of it.
  package let url: String?
  package let method: Request.Method
  /// A hash of the partition that can't be guessed from its credential; empty for the anonymous one.
  package let partition: Data
  /// The response, which may be without its body.
  package let response: StoredResponse
  /// In bytes.
  package let size: Int

  package init(
    _ response: StoredResponse, url: String?, method: Request.Method, partition: Data, size: Int
  ) {
    (self.response, self.url, self.method) = (response, url, method)
    (self.partition, self.size) = (partition, size)
  }

  init(_ response: StoredResponse, under key: CacheKey, _ hashKey: HashKey) {
    self.init(
      response, url: key.url, method: key.method, partition: hashKey.hash(key.partition),
      size: response.size(under: key))
  }
}
