internal import Foundation

/// Values that Foundation reads in ways of its own.
extension JSONContainer {
  func url(_ word: Int, _ key: (any CodingKey)?) throws -> URL {
    let text = try text(word, key, for: URL.self)
    guard let url = URL(string: text) else {
      throw corrupted("Invalid URL string.", word, key)
    }
    return url
  }

  func decimal(_ word: Int, _ key: (any CodingKey)?) throws -> Decimal {
    let value = document[word]
    guard value.isNumber else { throw unexpected(Decimal.self, word, key) }
    guard let number = document.text.decimalNumber(at: value.offset, value.length) else {
      throw outOfRange(Decimal.self, word, key)
    }
    return number
  }

  func data(_ word: Int, _ key: (any CodingKey)?) throws -> Data {
    guard document[word].kind != .null else { throw unexpected(Data.self, word, key) }
    switch document.settings.data {
    case .deferredToData: return try Data(from: JSONValueDecoder(self, at: word))
    case .custom(let read): return try read(JSONValueDecoder(self, at: word))
    case .base64: break
    @unknown default: break
    }
    let text = try text(word, key, for: Data.self)
    guard let data = Data(base64Encoded: text) else {
      throw corrupted("Encountered Data is not valid Base64.", word, key)
    }
    return data
  }

  func date(_ word: Int, _ key: (any CodingKey)?) throws -> Date {
    guard document[word].kind != .null else { throw unexpected(Date.self, word, key) }
    switch document.settings.dates {
    case .deferredToDate:
      return Date(timeIntervalSinceReferenceDate: try number(word, key))
    case .secondsSince1970: return Date(timeIntervalSince1970: try number(word, key))
    case .millisecondsSince1970:
      return Date(timeIntervalSince1970: try number(word, key) / 1000)
    case .iso8601: return try isoDate(word, key)
    case .custom(let read): return try read(JSONValueDecoder(self, at: word))
    #if canImport(Darwin)
      // Elsewhere this is a `custom` one.
      case .formatted(let formatter):
        let text = try text(word, key, for: Date.self)
        guard let date = formatter.date(from: text) else {
          throw corrupted("Date string does not match format expected by formatter.", word, key)
        }
        return date
    #endif
    @unknown default: return try Date(from: JSONValueDecoder(self, at: word))
    }
  }

  private func isoDate(_ word: Int, _ key: (any CodingKey)?) throws -> Date {
    let value = document[word]
    if value.kind == .ascii, let seconds = document.text.isoTime(at: value.offset, value.length) {
      return Date(timeIntervalSince1970: seconds)
    }
    let text = try text(word, key, for: Date.self)
    guard let date = try? Date.ISO8601FormatStyle().parse(text) else {
      throw corrupted("Expected date string to be ISO8601-formatted.", word, key)
    }
    return date
  }

  /// - Parameter type: What is told to be missing where there is `null`.
  private func text(_ word: Int, _ key: (any CodingKey)?, for type: Any.Type) throws -> String {
    if let text = string(word) { return text }
    throw document[word].kind == .null
      ? unexpected(type, word, key) : mismatch(String.self, word, key)
  }

  private func number(_ word: Int, _ key: (any CodingKey)?) throws -> Double {
    try double(word) ?? slowDouble(word, key)
  }
}
