extension LoadError {
  /// A load, or one attempt of it, that took longer than it may.
  init(tookLongerThan duration: Duration?) {
    let limit = duration.map { " of \($0)" } ?? ""
    self.init(
      .timedOut, "the load took longer than its limit\(limit)",
      advice: "Raise options.timeout if the server may take that long")
  }

  /// An exchange in which nothing happened any more.
  init(idleFor duration: Duration) {
    self.init(
      .timedOut, "nothing arrived for \(duration)",
      advice: "Raise options.idleTimeout if the server may pause that long")
  }

  /// A body that comes too slowly.
  init(_ count: Int, below throughput: Request.Throughput) {
    self.init(
      .timedOut, "only \(count) bytes of the body arrived in \(throughput.duration)",
      advice: "Lower options.minimumThroughput if the server may be that slow")
  }

  /// A body for which the client's memory isn't enough.
  init(bodiesOver limit: Int) {
    self.init(
      .tooLarge, "the bodies of all loads of the client would take more than \(limit) bytes",
      advice: "Load fewer at once, download into files, or raise maximumMemory of the client")
  }

  /// Headers with more bytes than they may have.
  init(headersOver limit: Int) {
    self.init(
      .tooLarge, "the headers have more than \(limit) bytes",
      advice: "Raise options.maximumHeaderSize if that much is expected")
  }

  /// A body with more bytes than it may have.
  package init(over limit: Int) {
    self.init(
      .tooLarge, "the body has more than \(limit) bytes",
      advice: "Raise options.maximumBodySize if that much is expected")
  }
}
