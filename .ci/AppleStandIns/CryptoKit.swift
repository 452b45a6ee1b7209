import Foundation
public struct SHA256 {
  public struct Digest: Sequence { public func makeIterator() -> IndexingIterator<[UInt8]> { [].makeIterator() } }
  public init() {}
  public mutating func update<D: DataProtocol>(data: D) {}
  public func finalize() -> Digest { Digest() }
}
public struct SHA512 {
  public init() {}
  public mutating func update<D: DataProtocol>(data: D) {}
  public func finalize() -> SHA256.Digest { SHA256.Digest() }
}
