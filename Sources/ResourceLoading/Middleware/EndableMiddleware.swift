/// A middleware that waits for nothing but what ``LoadContext/end(for:)`` ends, so that a load through it needs
/// no task of its own to be ended: only what others wrote may wait for who knows what.
protocol EndableMiddleware: Middleware {}

extension BasicAuthentication: EndableMiddleware {}
extension BearerAuthentication: EndableMiddleware {}
extension Coalescing: EndableMiddleware {}
extension ConcurrencyLimit: EndableMiddleware {}
extension Logging: EndableMiddleware {}
extension RateLimit: EndableMiddleware {}
extension Retry: EndableMiddleware {}
