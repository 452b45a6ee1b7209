extension Request {
  /// Limits the time of the whole load, see ``Options/timeout``.
  public func timeout(_ duration: Duration) -> Request {
    changed { $0.options.timeout = duration }
  }

  /// Limits the time in which nothing arrives, see ``Options/idleTimeout``.
  public func idleTimeout(_ duration: Duration) -> Request {
    changed { $0.options.idleTimeout = duration }
  }

  /// Accepts these statuses and no others, see ``Options/acceptedStatuses``.
  public func accepting(_ statuses: AcceptedStatuses) -> Request {
    changed { $0.options.acceptedStatuses = statuses }
  }

  /// Limits the decoded bytes of the response's body, see ``Options/maximumBodySize``.
  public func maximumBodySize(_ bytes: Int) -> Request {
    changed { $0.options.maximumBodySize = bytes }
  }

  /// Limits the bytes of the response's headers, see ``Options/maximumHeaderSize``.
  public func maximumHeaderSize(_ bytes: Int) -> Request {
    changed { $0.options.maximumHeaderSize = bytes }
  }

  /// Says which redirects are followed, see ``Options/redirects``.
  public func redirects(_ policy: RedirectPolicy) -> Request {
    changed { $0.options.redirects = policy }
  }

  /// Says how a cache is used, see ``Options/cachePolicy``.
  public func cachePolicy(_ policy: CachePolicy) -> Request {
    changed { $0.options.cachePolicy = policy }
  }
}
