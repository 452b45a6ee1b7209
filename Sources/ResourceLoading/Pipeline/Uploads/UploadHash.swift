import Foundation
import ResourcePrimitives

/// A hash by one of the algorithms.
enum UploadHash {
  case sha1(RunningSHA1)
  case sha256(RunningDigest)

  init(_ algorithm: UploadDigest) {
    switch algorithm {
    case .sha1: self = .sha1(RunningSHA1())
    case .sha256: self = .sha256(RunningDigest(.sha256))
    }
  }

  mutating func update(_ bytes: Data) {
    switch self {
    case .sha1(var hash):
      hash.update(bytes)
      self = .sha1(hash)
    case .sha256(let hash): hash.update(bytes)
    }
  }

  func finish() -> Data {
    switch self {
    case .sha1(let hash): Data(hash.finish())
    case .sha256(let hash): Data(hash.finishBytes())
    }
  }
}
