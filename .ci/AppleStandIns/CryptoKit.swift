import Foundation
public struct SHA256 {
  public struct Digest: Sequence { public func makeIterator() -> IndexingIterator<[UInt8]> { [].makeIterator() } }
  public static func hash<D: DataProtocol>(data: D) -> Digest { Digest() }
}
