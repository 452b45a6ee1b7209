import CAllocations
import Foundation
import Measuring
import ResourceJSON
import ResourceLoading
import Rows

/// A decoder with the settings that apps use.
let appDecoder = {
  let decoder = JSONDecoder()
  decoder.keyDecodingStrategy = .convertFromSnakeCase
  decoder.dateDecodingStrategy = .iso8601
  return decoder
}()

func registerDecoding() {
  let plain = JSONDecoder()
  register(.jsonSmall, as: [Item].self, plain, times: 500, Documents.small)
  register(.jsonMessages, as: Messages.self, plain, Documents.messages)
  register(.jsonCatalog, as: Catalog.self, plain, Documents.catalog)
  register(.jsonBorder, as: Border.self, plain, Documents.border)
  register(.jsonIssues, as: [Issue].self, appDecoder, Documents.issues)
  Row.jsonIssuesLarge.register(.ours) { _ in
    blackHole(decode([Issue].self, appDecoder, Documents.manyIssues))
  }
  Row.jsonIssuesLarge.register(.sameInSmall) { _ in
    for _ in 0..<46 { blackHole(decode([Issue].self, appDecoder, Documents.issues)) }
  }
}

/// The same with a response and its resource.
func registerResource() {
  guard let url = URL(string: "https://example.org/issues") else {
    preconditionFailure("no URL")
  }
  let resource = Resource<[Issue]>(json: url, decoder: appDecoder)
  Row.jsonResource.register(.ours) { _ in
    do {
      blackHole(try resource.parser(Response(url: url, body: Documents.issues)))
    } catch {
      preconditionFailure("the document can't be decoded: \(error)")
    }
  }
  Row.jsonResource.register(.jsonDecoder) { _ in
    blackHole(foundation([Issue].self, appDecoder, Documents.issues))
  }
}

/// What is in use at the worst moment besides the document, which the caller holds, and the values,
/// which it keeps.
func registerMemory() {
  let plain = JSONDecoder()
  registerMemory(.jsonMessagesMemory, as: Messages.self, plain, Documents.messages)
  registerMemory(.jsonCatalogMemory, as: Catalog.self, plain, Documents.catalog)
  registerMemory(.jsonBorderMemory, as: Border.self, plain, Documents.border)
  registerMemory(.jsonIssuesMemory, as: [Issue].self, appDecoder, Documents.issues)
}

private func registerMemory<Model: Decodable & SendableMetatype>(
  _ row: Row, as type: Model.Type, _ decoder: JSONDecoder,
  _ document: @autoclosure @escaping @Sendable () -> Data
) {
  row.registerCount(.ours) { _ in
    let data = document()
    allocations_begin()
    let value = decode(type, decoder, data)
    let counted = allocations_end()
    blackHole(value)
    return counted.peak - counted.live
  }
  row.registerCount(.document) { _ in document().count }
}

private func register<Model: Decodable & SendableMetatype>(
  _ row: Row, as type: Model.Type, _ decoder: JSONDecoder, times: Int = 1,
  _ document: @autoclosure @escaping @Sendable () -> Data
) {
  row.register(.ours, given: document) { _, data in
    for _ in 0..<times { blackHole(decode(type, decoder, data)) }
  }
  row.register(.jsonDecoder, given: document) { _, data in
    for _ in 0..<times { blackHole(foundation(type, decoder, data)) }
  }
}

@inline(never)
func decode<Model: Decodable>(
  _ type: Model.Type, _ decoder: JSONDecoder, _ data: Data
) -> Model {
  do {
    return try JSONReader(decoder).decode(type, from: data)
  } catch {
    preconditionFailure("the document can't be decoded: \(error)")
  }
}

@inline(never)
private func foundation<Model: Decodable>(
  _ type: Model.Type, _ decoder: JSONDecoder, _ data: Data
) -> Model {
  do {
    return try decoder.decode(type, from: data)
  } catch {
    preconditionFailure("the document can't be decoded: \(error)")
  }
}
