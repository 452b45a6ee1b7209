extension Request.Options {
  /// These options, and the defaults for what they leave open.
  func completed(by defaults: Request.Options) -> Request.Options {
    var completed = self
    completed.timeout = timeout ?? defaults.timeout
    completed.attemptTimeout = attemptTimeout ?? defaults.attemptTimeout
    completed.idleTimeout = idleTimeout ?? defaults.idleTimeout
    completed.acceptedStatuses = acceptedStatuses ?? defaults.acceptedStatuses
    completed.maximumBodySize = maximumBodySize ?? defaults.maximumBodySize
    completed.maximumHeaderSize = maximumHeaderSize ?? defaults.maximumHeaderSize
    completed.redirects = redirects ?? defaults.redirects
    completed.isIdempotent = isIdempotent ?? defaults.isIdempotent
    completed.cachePolicy = cachePolicy ?? defaults.cachePolicy
    return completed
  }
}
