import Foundation
import Measuring
import ResourceJSON
import Rows

/// An encoder with the settings that apps use.
let appEncoder = {
  let encoder = JSONEncoder()
  encoder.keyEncodingStrategy = .convertToSnakeCase
  encoder.dateEncodingStrategy = .iso8601
  return encoder
}()

func registerEncoding() {
  let plain = JSONEncoder()
  register(.jsonEncodeSmall, plain, times: 500) { decoded([Item].self, Documents.small) }
  register(.jsonEncodeMessages, plain) { decoded(Messages.self, Documents.messages) }
  register(.jsonEncodeCatalog, plain) { decoded(Catalog.self, Documents.catalog) }
  register(.jsonEncodeBorder, plain) { decoded(Border.self, Documents.border) }
  register(.jsonEncodeIssues, appEncoder) {
    decoded([Issue].self, Documents.issues, by: appDecoder)
  }
  // Of all lengths, from one digit to 19.
  register(.jsonEncodeIntegers, plain) { (0..<100_000).map { 0x6A09_E667_F3BC_C909 >> ($0 % 63) } }
  register(.jsonEncodeDoubles, plain) { (0..<100_000).map { Double($0) * 1.618033988749895 } }
}

private func decoded<Model: Decodable>(
  _ type: Model.Type, _ document: Data, by decoder: JSONDecoder = JSONDecoder()
) -> Model {
  do {
    return try JSONReader(decoder).decode(type, from: document)
  } catch {
    preconditionFailure("the document can't be decoded: \(error)")
  }
}

private func register<Model: Encodable & SendableMetatype>(
  _ row: Row, _ encoder: JSONEncoder, times: Int = 1,
  _ value: @escaping @Sendable () -> Model
) {
  row.register(.ours, given: value) { _, value in
    for _ in 0..<times { blackHole(encode(value, JSONWriter(encoder).encode)) }
  }
  row.register(.jsonEncoder, given: value) { _, value in
    for _ in 0..<times { blackHole(encode(value, encoder.encode)) }
  }
}

@inline(never)
private func encode<Model: Encodable>(_ value: Model, _ body: (Model) throws -> Data) -> Data {
  do {
    return try body(value)
  } catch {
    preconditionFailure("the value can't be encoded: \(error)")
  }
}
