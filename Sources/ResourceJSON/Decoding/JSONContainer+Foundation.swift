internal import Foundation

/// Values that Foundation reads in ways of its own.
extension JSONContainer {
  func url(_ word: Int) throws -> URL {
    let text = try text(word, for: URL.self)
    guard let url = URL(string: text) else {
      throw corrupted("Invalid URL string.", word)
    }
    return url
  }

  func decimal(_ word: Int) throws -> Decimal {
    let value = document[word]
    guard value.isNumber else { throw unexpected(Decimal.self, word) }
    guard let number = document.text.decimalNumber(at: value.offset, value.length) else {
      throw outOfRange(Decimal.self, word)
    }
    return number
  }

  func data(_ word: Int) throws -> Data {
    guard document[word].kind != .null else { throw unexpected(Data.self, word) }
    switch document.settings.data {
    case .deferredToData: return try Data(from: JSONValueDecoder(self, at: word))
    case .custom(let read): return try read(JSONValueDecoder(self, at: word))
    case .base64: break
    @unknown default: break
    }
    let text = try text(word, for: Data.self)
    guard let data = Data(base64Encoded: text) else {
      throw corrupted("Encountered Data is not valid Base64.", word)
    }
    return data
  }

  func date(_ word: Int) throws -> Date {
    guard document[word].kind != .null else { throw unexpected(Date.self, word) }
    switch document.settings.dates {
    case .deferredToDate:
      return Date(timeIntervalSinceReferenceDate: try number(word))
    case .secondsSince1970: return Date(timeIntervalSince1970: try number(word))
    case .millisecondsSince1970:
      return Date(timeIntervalSince1970: try number(word) / 1000)
    case .iso8601: return try isoDate(word)
    case .custom(let read): return try read(JSONValueDecoder(self, at: word))
    #if canImport(Darwin)
      // Elsewhere this is a `custom` one.
      case .formatted(let formatter):
        let text = try text(word, for: Date.self)
        guard let date = formatter.date(from: text) else {
          throw corrupted("Date string does not match format expected by formatter.", word)
        }
        return date
    #endif
    @unknown default: return try Date(from: JSONValueDecoder(self, at: word))
    }
  }

  private func isoDate(_ word: Int) throws -> Date {
    let value = document[word]
    if value.kind == .ascii, let seconds = document.text.isoTime(at: value.offset, value.length) {
      return Date(timeIntervalSince1970: seconds)
    }
    let text = try text(word, for: Date.self)
    guard let date = try? Date.ISO8601FormatStyle().parse(text) else {
      throw corrupted("Expected date string to be ISO8601-formatted.", word)
    }
    return date
  }

  /// - Parameter type: The type that the error for `null` names.
  private func text(_ word: Int, for type: Any.Type) throws -> String {
    if let text = string(word) { return text }
    throw document[word].kind == .null
      ? unexpected(type, word) : mismatch(String.self, word)
  }

  private func number(_ word: Int) throws -> Double {
    try double(word) ?? slowDouble(word, nil)
  }
}
