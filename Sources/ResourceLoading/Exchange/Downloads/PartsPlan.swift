import ResourcePrimitives

/// Decides which ranges of a file are requested, and how many at a time: a pure function of what
/// has arrived and of the time.
///
/// Ranges are handed out from the beginning of the file to its end. One is as long as its
/// connection takes a second for, by the rate of the last one on that connection, and shorter
/// towards the end of the file, so that all connections end together. Where the number of
/// connections follows the rate, it is doubled as long as that makes the download at least a third
/// faster, and halved again if it doesn't.
struct PartsPlan: Sendable {
  /// The number of bytes in the complete file.
  let size: Int
  /// What is in the file.
  private(set) var written: ByteRanges
  /// The number of ranges that may be requested at a time.
  private(set) var width: Int
  private let limit: Int
  /// The parts under way by their connections, which are counted from 0.
  private var running: [Int: Part] = [:]
  /// The bytes a second of the last part of each connection.
  private var rates: [Int: Double] = [:]
  /// How many parts have failed without a byte since the last one that had some.
  private var failures = 0
  /// Whether the last part that ended failed without a byte worth mentioning.
  private var hasStalled = false
  /// The bytes that have arrived in this load.
  private var received = 0
  /// The measurement of the present width; `nil` once the width stays.
  private var trial: Trial?

  /// A range that is being requested.
  struct Part: Sendable, Hashable {
    /// The connection.
    var slot: Int
    var range: Range<Int>
    /// The offset of the next byte; everything in the range before it is in the file.
    var position: Int
    var start: Duration
    /// The position at the start of the last request for it.
    var sent: Int
    /// The bytes a second that are expected; `nil` if they aren't known.
    var expectedRate: Double?
    /// Whether it gets all the time that the caller gives, because others brought nothing in less.
    var hasTime = false
  }

  private struct Trial {
    /// The beginning of the measurement, once bytes arrive on each connection.
    var start: Duration?
    var received = 0
    /// The rate of the last narrower width.
    var narrower: (width: Int, rate: Double)?
  }

  /// - Parameters:
  ///   - size: The number of bytes in the complete file.
  ///   - written: What is in the file already.
  ///   - parts: The number of parts that the caller wants.
  ///   - hostLimit: The maximum number of requests to one host; `nil` for any number.
  init(
    size: Int, written: ByteRanges = ByteRanges(), parts: DownloadOptions.Parts, hostLimit: Int?
  ) {
    self.size = size
    self.written = written
    let hostLimit = hostLimit ?? .max
    if let fixed = parts.limit {
      limit = min(fixed, hostLimit)
      width = limit
    } else {
      limit = max(1, min(Self.mostConnections, hostLimit / 2))
      width = 1
      trial = limit > 1 ? Trial() : nil
    }
  }
}

extension PartsPlan {
  /// The maximum number of connections for a file if the caller names none.
  private static let mostConnections = 8
  /// The number of bytes that are worth a request.
  private static let shortest = 1 << 20
  /// The longest part, so that not much is lost with a connection.
  private static let longest = 64 << 20
  /// The duration of a measurement.
  private static let window = Duration.milliseconds(500)
  /// How many times as fast the download has to be with twice as many connections.
  private static let leastGain = 1.33
  /// The bytes after which a part that fails did better than nothing.
  private static let leastProgress = 64 << 10
  /// How often parts may fail in a row without a byte.
  private static let mostFailures = 3

  /// Whether the file is complete.
  var isComplete: Bool { written.frontier == size }

  /// Whether no part is under way.
  var isIdle: Bool { running.isEmpty }

  /// The number of parts under way.
  var runningCount: Int { running.count }

  /// Returns the next range to request; `nil` if there is none now.
  mutating func next(at now: Duration) -> Part? {
    guard running.count < width, let gap = firstGap,
      let slot = (0..<limit).first(where: { running[$0] == nil })
    else { return nil }
    let rate = expectedRate(of: slot)
    let length = min(gap.count, length(at: rate))
    // A rest that isn't worth a request goes along.
    let end = gap.count - length < Self.shortest / 2 ? gap.upperBound : gap.lowerBound + length
    let part = Part(
      slot: slot, range: gap.lowerBound..<end, position: gap.lowerBound, start: now,
      sent: gap.lowerBound, expectedRate: width > 1 ? rate : nil,
      hasTime: hasStalled)
    running[slot] = part
    return part
  }

  /// The first range that isn't there and that no part has requested.
  private var firstGap: Range<Int>? {
    var known = written
    for part in running.values { known.insert(part.range) }
    return known.firstGap(below: size)
  }

  private func expectedRate(of slot: Int) -> Double? {
    if let rate = rates[slot] { return rate }
    return rates.isEmpty ? nil : rates.values.reduce(0, +) / Double(rates.count)
  }

  private func length(at rate: Double?) -> Int {
    let second = rate.map { Int(min($0, Double(Self.longest))) } ?? Self.shortest
    // With one connection for good, there is nothing to share out.
    if width == 1, trial == nil { return Self.longest }
    let requested = running.values.reduce(0) { $0 + $1.range.upperBound - $1.position }
    let share = (size - written.count - requested) / (2 * width)
    return max(Self.shortest, min(second, share))
  }
}

// MARK: - What happens

extension PartsPlan {
  /// Records the first part, which was requested before the size of the file was known.
  mutating func begin(_ range: Range<Int>, at now: Duration) {
    running[0] = Part(
      slot: 0, range: range, position: range.lowerBound, start: now, sent: range.lowerBound)
  }

  /// Records that a part goes to the server now, after it may have waited for its turn.
  ///
  /// - Returns: What is missing of its range.
  mutating func send(_ slot: Int, at now: Duration) -> Range<Int>? {
    guard let part = running[slot] else { return nil }
    running[slot]?.start = now
    running[slot]?.sent = part.position
    return part.position..<part.range.upperBound
  }

  /// Records that the next bytes of a part are in the file.
  mutating func write(_ count: Int, for slot: Int, at now: Duration) {
    guard var part = running[slot] else { return }
    written.insert(part.position..<part.position + count)
    part.position += count
    running[slot] = part
    received += count
    if trial != nil, trial?.start == nil, running.count == width,
      running.values.allSatisfy({ $0.position > $0.range.lowerBound })
    {
      trial?.start = now
      trial?.received = received
    }
  }

  /// Records that a server sends less than a range, which it may: the rest is requested again.
  mutating func shorten(_ slot: Int, to end: Int) {
    guard let part = running[slot], end < part.range.upperBound else { return }
    running[slot]?.range = part.range.lowerBound..<end
  }

  /// Ends a part that has arrived.
  mutating func end(_ slot: Int, at now: Duration) {
    guard let part = running.removeValue(forKey: slot) else { return }
    failures = 0
    hasStalled = false
    measure(part, at: now)
    adapt(at: now)
  }

  /// Ends a part that failed; what has arrived of it stays.
  ///
  /// - Returns: The time to wait before the next part is requested, or `nil` if it isn't worth it.
  mutating func fail(_ slot: Int, at now: Duration) -> Duration? {
    guard let part = running.removeValue(forKey: slot) else { return .zero }
    measure(part, at: now)
    if part.position - part.range.lowerBound >= min(Self.leastProgress, part.range.count / 2) {
      failures = 0
      return .zero
    }
    hasStalled = true
    // Perhaps the server doesn't serve that many at a time.
    width = max(1, min(width, running.count))
    trial = nil
    // While others arrive, it isn't over.
    guard running.isEmpty else { return .zero }
    failures += 1
    guard failures <= Self.mostFailures else { return nil }
    return .milliseconds(100) * (1 << (failures - 1))
  }

  private mutating func measure(_ part: Part, at now: Duration) {
    let seconds = (now - part.start).seconds
    guard seconds > 0 else { return }
    rates[part.slot] = Double(part.position - part.sent) / seconds
  }

  /// Doubles the number of connections if that is faster, or goes back to the number before.
  private mutating func adapt(at now: Duration) {
    guard var current = trial, let start = current.start, now - start >= Self.window else { return }
    let rate = Double(received - current.received) / (now - start).seconds
    if let before = current.narrower, rate < before.rate * Self.leastGain {
      width = before.width
      trial = nil
      return
    }
    guard width < limit else {
      trial = nil
      return
    }
    current = Trial(narrower: (width, rate))
    width = min(2 * width, limit)
    trial = current
  }
}
