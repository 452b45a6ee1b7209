import Foundation

/// What somebody who waits for a host is known by; a later one has a higher number.
struct TicketNumber: Hashable, Sendable {
  var host: String
  var number: Int
}

extension URL {
  /// What a limit per host counts by.
  var hostAndPort: String {
    let standard = scheme?.lowercased() == "https" ? 443 : 80
    return "\(host()?.lowercased() ?? ""):\(port ?? standard)"
  }
}
