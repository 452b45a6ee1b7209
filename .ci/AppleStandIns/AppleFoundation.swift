// On Apple platforms Foundation has what is a module of its own on Linux, and what that one lacks.
@_exported import Foundation
@_exported import FoundationNetworking
import Security

// Linux has these names, but not for use.
public let standInServerTrust = "NSURLAuthenticationMethodServerTrust"
public let standInClientCertificate = "NSURLAuthenticationMethodClientCertificate"
public let standInNTLM = "NSURLAuthenticationMethodNTLM"
public let standInNegotiate = "NSURLAuthenticationMethodNegotiate"
extension URLProtectionSpace { public var serverTrust: SecTrust? { nil } }
extension URLCredential {
  public convenience init(trust: SecTrust) { self.init(user: "", password: "", persistence: .none) }
  public convenience init(
    identity: SecIdentity, certificates: [Any]?, persistence: URLCredential.Persistence
  ) {
    self.init(user: "", password: "", persistence: persistence)
  }
}
extension URLSessionConfiguration {
  public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
    get { .TLSv12 }
    set {}
  }
  public var allowsConstrainedNetworkAccess: Bool { get { true } set {} }
  public var allowsExpensiveNetworkAccess: Bool { get { true } set {} }
}
extension URL { public static var applicationSupportDirectory: URL { URL(filePath: "/") } }
extension URLRequest {
  public var allowsConstrainedNetworkAccess: Bool {
    get { true }
    set {}
  }
  public var allowsExpensiveNetworkAccess: Bool {
    get { true }
    set {}
  }
}
