#if XML
  import Foundation
  import ResourcePrimitives
  import ResourceXML

  extension Response {
    func decodeXML<T: Decodable & Sendable>(
      _ type: T.Type, at path: String?, by decoder: XMLDecoder
    ) throws -> T {
      if isBodiless || body.isEmpty, let none = T.self as? any ExpressibleByNilLiteral.Type,
        let value = none.init(nilLiteral: ()) as? T
      {
        return value
      }
      do {
        let tree = try xmlTree(options: decoder.options)
        return try LowPriorityThread.run(reading: 0, isDeep: tree.isDeep) {
          try decoder.decode(type, from: tree, at: path)
        }
      } catch let error as DecodingError {
        throw LoadError(xml: error)
      } catch let error as LoadError {
        throw error.wanting(type)
      }
    }

    func xmlTree(options: XMLOptions) throws(LoadError) -> XMLTree {
      guard !body.isEmpty, !isBodiless else {
        throw LoadError(.parsing, "the body is empty, so there is no XML in it")
      }
      do {
        return try XMLTree(
          parsing: body, encoding: mediaType?.parameter("charset"), options: options)
      } catch {
        throw LoadError(xml: error, isHTML: mediaType?.essence == "text/html")
      }
    }
  }
#endif
