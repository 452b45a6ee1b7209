// The waits of these are ended with the load.
extension BasicAuthentication: EndableMiddleware {}
extension BearerAuthentication: EndableMiddleware {}
extension Coalescing: EndableMiddleware {}
extension ConcurrencyLimit: EndableMiddleware {}
extension Logging: EndableMiddleware {}
extension RateLimit: EndableMiddleware {}
extension Retry: EndableMiddleware {}
