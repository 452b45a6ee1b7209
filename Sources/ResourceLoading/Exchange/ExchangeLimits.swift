import Foundation
import ResourcePrimitives

package struct ExchangeLimits: Sendable {
  /// The deadline on `clock`; `nil` for no limit.
  var deadline: Duration?
  /// The time limit that ends at the deadline, for the error text.
  var duration: Duration?
  /// The longest time without any activity; `nil` for no limit, or if the transport measures it.
  var idle: Duration?
  /// The minimum speed of a body; `nil` for no limit.
  var throughput: Request.Throughput?
  /// The load whose memory the bodies take; `nil` for none.
  var load: LoadContext?
  var clock = LoadClock.system
  /// The maximum number of decoded bytes in an accepted response's body; `nil` for no limit.
  var maximumBodySize: Int? = defaultMaximumBodySize
  /// The maximum number of bytes in the headers.
  var maximumHeaderSize = defaultMaximumHeaderSize
  /// The accepted statuses. For any other response, only the beginning of the body is kept.
  var accepted = Request.AcceptedStatuses.successful
  /// Whether the whole body of a redirect is kept, because the redirect may be declined later.
  var keepsRedirects = false

  /// The time limit of an attempt if the load has none: a day.
  private static let defaultTimeout = Duration.seconds(86_400)

  /// The default maximum size of a body in memory: 256 MiB.
  package static let defaultMaximumBodySize = 256 << 20

  /// The default maximum size of the headers: 256 KiB.
  static let defaultMaximumHeaderSize = 256 << 10

  /// The size up to which a body doesn't count towards the client's memory: 64 KiB.
  static let uncountedBodySize = 64 << 10
}

extension ExchangeLimits {
  /// Creates the limits of a load's exchanges. The deadline is that of the attempt, including its
  /// redirects. The deadline of the load ends the task instead.
  init(of options: Request.Options, over transport: any Transport, in context: LoadContext) {
    let clock = context.clock
    let duration = options.attemptTimeout ?? (context.deadline == nil ? Self.defaultTimeout : nil)
    self.init(
      deadline: duration.map { clock.now() + $0.countable }, duration: duration,
      load: context, clock: clock, accepted: options.acceptedStatuses ?? .successful,
      keepsRedirects: transport.mayDeclineRedirects)
    if let size = options.maximumHeaderSize { maximumHeaderSize = size }
    if transport.deliversIncrementally {
      idle = options.idleTimeout
      if !(context.destination?.holdsBack ?? false) { throughput = options.minimumThroughput }
    }
    if context.destination != nil || options.maximumBodySize != nil {
      maximumBodySize = options.maximumBodySize
    }
  }
}

extension Duration {
  /// To the millisecond: what is left of a caller's deadline has nine places.
  fileprivate var rounded: Duration {
    self < .milliseconds(1) ? self : .milliseconds((countable / .milliseconds(1)).rounded())
  }
}

extension LoadError {
  init(tookLongerThan duration: Duration?) {
    let limit = duration.map { " of \($0.rounded)" } ?? ""
    self.init(
      .timedOut, "the load took longer than its limit\(limit)",
      advice: "Raise options.timeout or the caller's Deadline if the server may take that long")
  }

  init(idleFor duration: Duration) {
    self.init(
      .timedOut, "nothing arrived and nothing was sent for \(duration)",
      advice: "Raise options.idleTimeout if the server may pause that long")
  }

  init(_ count: Int, below throughput: Request.Throughput) {
    self.init(
      .timedOut, "only \(count) bytes of the body arrived in \(throughput.duration)",
      advice: "Lower options.minimumThroughput if the server may be that slow")
  }

  init(bodiesOver limit: Int) {
    self.init(
      .tooLarge, "the bodies of all loads of the client would take more than \(limit) bytes",
      advice: "Load fewer at once, download into files, or raise maximumMemory of the client")
  }

  init(headersOver limit: Int) {
    self.init(
      .tooLarge, "the headers have more than \(limit) bytes",
      advice: "Raise options.maximumHeaderSize if that much is expected")
  }

  package init(over limit: Int) {
    self.init(
      .tooLarge, "the body has more than \(limit) bytes",
      advice: "Raise options.maximumBodySize if that much is expected")
  }
}
