import Foundation

/// A user name and a password as `Authorization` has them (RFC 7617 section 2).
enum BasicCredential {
  /// The value of the header; both are written in UTF-8.
  static func value(user: String, password: String) -> String {
    "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
  }
}
