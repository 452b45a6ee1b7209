import Foundation

extension URL {
  static func loopback(host: String, port: Int, target: String) -> URL {
    let authority = host.contains(":") ? "[\(host)]" : host
    guard target.hasPrefix("/"), let url = URL(string: "http://\(authority):\(port)\(target)")
    else {
      preconditionFailure("\"\(target)\" is no target: it starts with / and is percent-encoded")
    }
    return url
  }
}
