extension Request.Options {
  /// These options, and the defaults for what they leave open.
  func completed(by defaults: Request.Options) -> Request.Options {
    var completed = self
    completed.timeout = timeout ?? defaults.timeout
    completed.attemptTimeout = attemptTimeout ?? defaults.attemptTimeout
    completed.idleTimeout = idleTimeout ?? defaults.idleTimeout
    completed.minimumThroughput = minimumThroughput ?? defaults.minimumThroughput
    completed.acceptedStatuses = acceptedStatuses ?? defaults.acceptedStatuses
    completed.maximumBodySize = maximumBodySize ?? defaults.maximumBodySize
    completed.maximumHeaderSize = maximumHeaderSize ?? defaults.maximumHeaderSize
    completed.redirects = redirects ?? defaults.redirects
    completed.isIdempotent = isIdempotent ?? defaults.isIdempotent
    completed.cachePolicy = cachePolicy ?? defaults.cachePolicy
    completed.secretNames = secretNames.union(defaults.secretNames)
    completed.crossOriginHeaders = crossOriginHeaders.union(defaults.crossOriginHeaders)
    return completed
  }
}

extension Optional {
  /// What both sets have together; `nil` if there is neither.
  fileprivate func union<Element>(_ other: Set<Element>?) -> Set<Element>?
  where Wrapped == Set<Element> {
    guard let self, let other else { return self ?? other }
    return self.union(other)
  }
}
