import Foundation
import Measuring
import ResourceXML
import Rows
import XMLCoder

/// A document decoded into models.
func registerDecoding() {
  register(.xmlDecode, as: Feed.self, Documents.feed)
  register(.xmlDecodeDense, as: Table.self, Documents.dense)
  Row.xmlDecodeLarge.register(.ours) { _ in
    blackHole(decode(Feed.self, from: Documents.largeFeed))
  }
  Row.xmlDecodeLarge.register(.sameInSmall) { count in
    for _ in 0..<count / Row.xmlDecode.operations {
      blackHole(decode(Feed.self, from: Documents.feed))
    }
  }
}

private func register<StoredModel: Decodable & SendableMetatype>(
  _ row: Row, as type: StoredModel.Type, _ document: @autoclosure @escaping @Sendable () -> Data
) {
  row.register(.ours, given: document) { _, data in blackHole(decode(type, from: data)) }
  row.register(.xmlCoder, given: document) { _, data in
    do {
      blackHole(try XMLCoder.XMLDecoder().decode(type, from: data))
    } catch {
      preconditionFailure("the document can't be decoded: \(error)")
    }
  }
}

@inline(never)
func decode<StoredModel: Decodable>(_ type: StoredModel.Type, from data: Data) -> StoredModel {
  do {
    return try ResourceXML.XMLDecoder().decode(type, from: data)
  } catch {
    preconditionFailure("the document can't be decoded: \(error)")
  }
}
