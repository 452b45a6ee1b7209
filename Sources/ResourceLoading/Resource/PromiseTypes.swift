public import PromiseModule

// Types of `PromiseModule` that stand in signatures here, so that a program that creates a client
// needs one import. `Promise` isn't among them: extensions of a generic type that has two names are
// ambiguous where both modules are imported.

/// How often a failed attempt is repeated, and after how long; a type of `PromiseModule`.
public typealias RetryPolicy = PromiseModule.RetryPolicy

/// The growing time between attempts; a type of `PromiseModule`.
public typealias Backoff = PromiseModule.Backoff

/// Where callbacks run, such as a dispatch queue; a protocol of `PromiseModule`.
public typealias PromiseExecutor = PromiseModule.PromiseExecutor

/// The main actor as the place where callbacks run; a type of `PromiseModule`.
public typealias MainActorExecutor = PromiseModule.MainActorExecutor
