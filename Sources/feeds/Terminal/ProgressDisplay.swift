/// Tells how far it is: by a bar that is drawn over itself on a terminal, by a line for each step elsewhere.
struct ProgressDisplay {
  private let channel: Channel
  private let total: Int
  private var finished = 0

  init(_ channel: Channel, total: Int) {
    self.channel = channel
    self.total = total
    if channel.isTerminal { channel.write(bar("")) }
  }

  /// One more source has been read, or has failed.
  mutating func advance(_ reading: Reading) {
    finished += 1
    let items = reading.feed.map { $0.items.count == 1 ? "1 item" : "\($0.items.count) items" }
    if channel.isTerminal {
      channel.write(bar(reading.name))
    } else {
      channel.line("[\(finished)/\(total)] \(reading.name): \(items ?? "failed")")
    }
  }

  /// Takes the bar away.
  func finish() {
    if channel.isTerminal { channel.write(Self.clear) }
  }
}

extension ProgressDisplay {
  /// To the first column, and all behind it erased.
  private static let clear = "\r\u{1B}[K"

  private func bar(_ name: String) -> String {
    let width = min(24, max(channel.width - 20, 4))
    let filled = total == 0 ? width : width * finished / total
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    let count = " \(finished)/\(total) "
    // The last column stays free: some terminals go to the next line after it.
    let room = max(channel.width - width - count.count - 1, 1)
    return Self.clear + channel.styled(bar, .green) + count + name.truncated(to: room)
  }
}
