import Foundation

/// Hands the body of a load to a reader while it comes.
final class StreamDestination: BodyDestination {
  let channel = StreamChannel()
  private let accepted: Request.AcceptedStatuses

  /// - Parameter accepted: The statuses whose bodies are wanted.
  init(accepted: Request.AcceptedStatuses) { self.accepted = accepted }

  /// Nobody can be given the beginning twice.
  var canBeginAgain: Bool { !channel.isOpen }

  var holdsBack: Bool { true }

  func open(for request: inout WireRequest.Draft) throws -> any BodySink {
    StreamSink(channel, url: request.url, accepted: accepted)
  }
}

/// Hands on the body of one exchange.
final class StreamSink: BodySink {
  private let channel: StreamChannel
  private let url: URL
  private let accepted: Request.AcceptedStatuses

  init(_ channel: StreamChannel, url: URL, accepted: Request.AcceptedStatuses) {
    self.channel = channel
    self.url = url
    self.accepted = accepted
  }

  var offset: Int { 0 }

  func attach(_ exchange: any Exchange) { channel.attach(exchange) }

  func begin(_ head: ResponseHead) throws -> Bool {
    guard accepted.contains(head.status) else { return false }
    channel.open(StreamHead(url: url, head: head))
    return true
  }

  func write(_ chunk: Data) throws { try channel.push(chunk) }

  // The end of the load is the end of the stream, so that its error has all the evidence.
  func finish() throws {}
  func abandon() {}
  func complete(_ response: inout Response) {}
}
