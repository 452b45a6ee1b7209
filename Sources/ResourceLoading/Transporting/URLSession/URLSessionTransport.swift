import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests with data tasks of a `URLSession`, whosoever made it.
struct URLSessionTransport: Transport {
  let session: URLSession

  /// Where tasks are made, resumed and cancelled: on Linux each of these waits for one queue that all
  /// sessions of the process share, so no thread of the caller's may do it.
  static let queue = DispatchQueue(label: "ResourceLoading.URLSessionTransport")

  func start(_ request: WireRequest, telling receiver: any ExchangeReceiver) -> any Exchange {
    let exchange = URLSessionExchange(session: session, receiver: receiver)
    Self.queue.async { exchange.start(request) }
    return exchange
  }
}
