// The waits of these are ended with the load.
extension BasicAuthentication: EndableMiddleware {}
extension BearerAuthentication: EndableMiddleware {}
extension CoalescingMiddleware: EndableMiddleware {}
extension ConcurrencyLimitMiddleware: EndableMiddleware {}
extension LoggingMiddleware: EndableMiddleware {}
extension RateLimitMiddleware: EndableMiddleware {}
extension RetryMiddleware: EndableMiddleware {}
