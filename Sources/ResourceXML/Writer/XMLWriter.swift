public import Foundation

/// Writes an XML document, and escapes each text as its place requires.
///
/// ```swift
/// let sitemap = try XMLWriter.document(
///   "urlset", ["xmlns": "http://www.sitemaps.org/schemas/sitemap/0.9"]
/// ) { urls in
///   for page in pages {
///     urls.element("url") {
///       $0.element("loc", text: page.address)
///       $0.element("priority", text: 0.5)
///     }
///   }
/// }
/// ```
///
/// Names are written as they are, with the prefix of a namespace if they have one; the attribute
/// that declares the prefix is an attribute like others. Values that XML can't contain, such as a
/// NUL in a text or a name with a space, make the document fail as a whole.
public struct XMLWriter: Sendable {
  private var bytes: [UInt8] = []
  /// The first reason why there is no document.
  private var flaw: XMLError?
  /// Whether the start tag of the current element isn't closed yet.
  private var isInTag = false

  private init() {}
}

extension XMLWriter {
  /// Writes a document in UTF-8.
  ///
  /// - Parameters:
  ///   - root: The name of the root.
  ///   - attributes: Its attributes, in order; those that are `nil` are left out.
  ///   - content: Writes the content of the root.
  /// - Returns: The document, with an XML declaration and without white space between elements.
  /// - Throws: An ``XMLError`` for the first value that can't be written, with its place in the
  ///   document; what `content` throws.
  public static func document(
    _ root: String, _ attributes: KeyValuePairs<String, String?> = [:],
    _ content: (inout XMLWriter) throws -> Void = { _ in }
  ) throws -> Data {
    var writer = XMLWriter()
    writer.bytes += #"<?xml version="1.0" encoding="UTF-8"?>"#.utf8
    writer.bytes.append(UInt8(ascii: "\n"))
    try writer.element(root, attributes, content)
    if let flaw = writer.flaw { throw flaw }
    return Data(writer.bytes)
  }

  /// Writes an element.
  ///
  /// - Parameters:
  ///   - name: Its name, such as `item` or `soap:Body`.
  ///   - attributes: Its attributes, in order; those that are `nil` are left out.
  ///   - content: Writes its content.
  public mutating func element(
    _ name: String, _ attributes: KeyValuePairs<String, String?> = [:],
    _ content: (inout XMLWriter) throws -> Void
  ) rethrows {
    closeTag()
    check(name: name)
    bytes.append(UInt8(ascii: "<"))
    bytes += name.utf8
    write(attributes)
    isInTag = true
    do {
      try content(&self)
    } catch {
      fail(.syntax, "the content of \(name) wasn't written to its end")
      throw error
    }
    if isInTag {
      bytes += "/>".utf8
    } else {
      bytes += "</".utf8
      bytes += name.utf8
      bytes.append(UInt8(ascii: ">"))
    }
    isInTag = false
  }

  /// Writes an element without content.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - attributes: Its attributes, in order; those that are `nil` are left out.
  public mutating func element(
    _ name: String, _ attributes: KeyValuePairs<String, String?> = [:]
  ) {
    element(name, attributes) { _ in }
  }

  /// Writes an element that contains only text.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - attributes: Its attributes, in order; those that are `nil` are left out.
  ///   - text: Its text.
  public mutating func element(
    _ name: String, _ attributes: KeyValuePairs<String, String?> = [:],
    text: some CustomStringConvertible
  ) {
    element(name, attributes) { $0.text(text) }
  }

  /// Writes text into the current element.
  ///
  /// - Parameter text: The text. Where it is read again, it is the same, line breaks included.
  public mutating func text(_ text: some CustomStringConvertible) {
    closeTag()
    escape(text.description, in: .text)
  }
}

extension XMLWriter {
  private enum Place { case text, attribute }

  private mutating func closeTag() {
    if isInTag { bytes.append(UInt8(ascii: ">")) }
    isInTag = false
  }

  private mutating func write(_ attributes: KeyValuePairs<String, String?>) {
    for (index, attribute) in attributes.enumerated() {
      guard let value = attribute.value else { continue }
      check(name: attribute.key)
      if attributes.prefix(index).contains(where: { $0.key == attribute.key && $0.value != nil }) {
        fail(.duplicateAttribute, "the element has two attributes \(attribute.key)")
      }
      bytes.append(UInt8(ascii: " "))
      bytes += attribute.key.utf8
      bytes += "=\"".utf8
      escape(value, in: .attribute)
      bytes.append(UInt8(ascii: "\""))
    }
  }

  private mutating func escape(_ text: String, in place: Place) {
    for scalar in text.unicodeScalars {
      switch (scalar, place) {
      case ("&", _): bytes += "&amp;".utf8
      case ("<", _): bytes += "&lt;".utf8
      // In text, `]]>` would end a CDATA section.
      case (">", _): bytes += "&gt;".utf8
      case ("\"", .attribute): bytes += "&quot;".utf8
      // A reader makes other characters of these (XML 1.0, sections 2.11 and 3.3.3).
      case ("\r", _), ("\t", .attribute), ("\n", .attribute): bytes += "&#\(scalar.value);".utf8
      default:
        if !scalar.value.isXMLCharacter {
          let number = String(scalar.value, radix: 16, uppercase: true)
          fail(.invalidCharacter, "XML can't contain the character U+\(number)")
        }
        bytes += scalar.utf8
      }
    }
  }

  /// Checks a name and its prefix (XML 1.0, production 5; Namespaces in XML 1.0, production 7).
  private mutating func check(name: String) {
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    let areNames = parts.allSatisfy { part in
      part.unicodeScalars.first?.value.isXMLNameStart == true
        && part.unicodeScalars.allSatisfy(\.value.isXMLName)
    }
    if parts.count > 2 || !areNames { fail(.syntax, "\"\(name)\" isn't a name in XML") }
  }

  /// Notes a flaw at the end of what was written so far.
  private mutating func fail(_ kind: XMLError.Kind, _ message: String) {
    guard flaw == nil else { return }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let line = String(decoding: lines.last ?? [], as: UTF8.self)
    flaw = XMLError(
      kind: kind, message: message, line: lines.count, column: line.unicodeScalars.count + 1)
  }
}
