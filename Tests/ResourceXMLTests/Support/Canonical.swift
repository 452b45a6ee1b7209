import ResourceXML
import Testing

/// The first canonical form of a document: no declarations or comments, attributes sorted by name,
/// entities expanded, the five special characters and white space characters escaped.
///
/// Every document is also read as a tree, which must have the same content.
func canonical(
  _ document: some Sequence<UInt8>, encoding: String? = nil, options: XMLOptions = XMLOptions()
) throws -> String {
  var canonical = CanonicalWriter()
  var events: [XMLEvent] = []
  let bytes = Array(document)
  try XMLEventParser.parse(bytes, encoding: encoding, options: options) {
    canonical.write($0)
    events.append($0)
  }
  let tree = try XMLTree(parsing: bytes, encoding: encoding, options: options)
  #expect(TreeEvents(tree).events == TreeEvents(events).events)
  return canonical.text
}

func canonical(_ document: String, options: XMLOptions = XMLOptions()) throws -> String {
  try canonical(document.utf8, options: options)
}

/// The kind of the error for a document; `nil` if it is accepted. The tree must give the same
/// error.
func refusal(
  _ document: some Sequence<UInt8>, options: XMLOptions = XMLOptions()
) -> XMLError.Kind? {
  let bytes = Array(document)
  let error = failure { try XMLEventParser.parse(bytes, options: options) { _ in } }
  #expect(failure { _ = try XMLTree(parsing: bytes, options: options) } == error)
  return error?.kind
}

private func failure(_ body: () throws -> Void) -> XMLError? {
  do {
    try body()
    return nil
  } catch {
    return error as? XMLError
  }
}

func refusal(_ document: String, options: XMLOptions = XMLOptions()) -> XMLError.Kind? {
  refusal(document.utf8, options: options)
}

/// Namespaces off: XML 1.0 alone.
let plainOptions = {
  var options = XMLOptions()
  options.namespaces = false
  return options
}()

struct CanonicalWriter {
  private(set) var text = ""

  mutating func write(_ event: XMLEvent) {
    switch event {
    case .declaration, .documentType, .comment: break
    case .startElement(let name, let attributes):
      text += "<\(name)"
      for attribute in attributes.sorted(by: { $0.name.qualified < $1.name.qualified }) {
        text += " \(attribute.name)=\"\(escaped(attribute.value))\""
      }
      text += ">"
    case .endElement(let name): text += "</\(name)>"
    case .text(let characters): text += escaped(characters)
    case .processingInstruction(let target, let data): text += "<?\(target) \(data)?>"
    case .skippedEntity(let name): text += "[\(name)]"
    }
  }

  private func escaped(_ string: String) -> String {
    var result = ""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\t": result += "&#9;"
      case "\n": result += "&#10;"
      case "\r": result += "&#13;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
