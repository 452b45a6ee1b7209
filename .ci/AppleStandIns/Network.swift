// As Network.swiftinterface has it.
import Dispatch
import Foundation

public enum NWEndpoint {
  case hostPort(host: Host, port: Port)
  public struct Host { public init(_ host: String) {} }
  public struct Port { public init?(rawValue: UInt16) {} }
}
public class NWProtocolTLS { public class Options { public init() {} } }
public struct ProxyConfiguration: Sendable {
  public init(httpCONNECTProxy: NWEndpoint, tlsOptions: NWProtocolTLS.Options? = nil) {}
  public init(socksv5Proxy: NWEndpoint) {}
  public var excludedDomains: [String] { get { [] } set {} }
  public mutating func applyCredential(username: String, password: String) {}
}
@_exported import FoundationNetworking
extension URLSessionConfiguration {
  public var proxyConfigurations: [ProxyConfiguration] { get { [] } set {} }
}

public struct NWPath: Sendable {
  public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
  public var status: Status { .satisfied }
}
public final class NWPathMonitor: Sendable {
  public init() {}
  public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
    get { nil }
    set {}
  }
  public func start(queue: DispatchQueue) {}
  public func cancel() {}
}
