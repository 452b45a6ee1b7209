/// Takes a value as if somebody needed it, so that making it isn't optimised away.
@_optimize(none)
public func blackHole(_ value: some Any) {}
