#!/usr/bin/env python3
"""Copies the library's sources with faults in them, each of which a number switches on.

plant.py FROM TO            copies FROM/Sources to TO/Sources
plant.py --list [NUMBER …]  prints number, world and words of each fault

A fault replaces a text that occurs once in a file. `@` in its replacement stands for the condition
that the fault is played.
"""
import os
import sys

# Number: world, words, file below Sources, text, replacement.
FAULTS = {
    # Coalescing
    1: ("loads", "a write doesn't end the sharing of what was sent before",
        "ResourceLoading/Middleware/SharedExchange.swift",
        "    let urls = urls.map(\\.normalizedText)\n",
        "    if @ { return }\n    let urls = urls.map(\\.normalizedText)\n"),
    2: ("loads", "loads join an exchange that is over",
        "ResourceLoading/Middleware/SharedExchange.swift",
        "    inFlight.withLock { $0.end(exchange, for: exchange.key) }",
        "    if !(@) { inFlight.withLock { $0.end(exchange, for: exchange.key) } }"),
    # Limits
    4: ("loads", "a slot isn't given back when the load is cancelled",
        "ResourceLoading/Middleware/ConcurrencyLimitMiddleware.swift",
        "defer { leave(ticket) }", "defer { if !(@ && Task.isCancelled) { leave(ticket) } }"),
    5: ("loads", "a slot of a host isn't given back when others wait",
        "ResourceLoading/Middleware/ConcurrencyLimitMiddleware.swift",
        "    hosts.values[host].inFlight -= 1\n",
        "    if !(@ && waiting > 2) { hosts.values[host].inFlight -= 1 }\n"),
    6: ("loads", "the last load that waits isn't woken",
        "ResourceLoading/Middleware/ConcurrencyLimitMiddleware.swift",
        "guard waiting > 0, let next", "guard waiting > (@ ? 1 : 0), let next"),
    7: ("loads", "the memory of a load isn't given back",
        "ResourceLoading/Exchange/MemoryBudget.swift",
        "  func giveBack() {\n    guard let budget else { return }",
        "  func giveBack() {\n    guard let budget, !(@) else { return }"),
    # Retries and ends
    8: ("loads", "failures aren't counted",
        "ResourceLoading/Middleware/RetryMiddleware.swift",
        "      failures += 1\n", "      failures += @ ? 0 : 1\n"),
    9: ("loads", "nobody watches the clock",
        "ResourceLoading/Exchange/LoadContext+Task.swift",
        "guard let deadline else { return }", "guard let deadline, !(@) else { return }"),
    10: ("loads", "a cancelled load goes on",
         "ResourceLoading/Exchange/LoadContext+Task.swift",
         "    } onCancel: {\n      end(for: CancellationError())",
         "    } onCancel: {\n      if !(@) { end(for: CancellationError()) }"),
    # Cache
    11: ("cache", "the log of removals isn't asked",
         "ResourceCache/Storage/MemoryResponseStorage.swift",
         "if !entries.log.covers(", "if @ || !entries.log.covers("),
    12: ("cache", "removals aren't logged",
         "ResourceCache/Storage/MemoryResponseStorage.swift",
         "    log.note(scope)\n", "    if !(@) { log.note(scope) }\n"),
    13: ("cache", "an older response replaces a newer one",
         "ResourceCache/Storage/MemoryResponseStorage.swift",
         "response.isOutdated(by: same)", "!(@) && response.isOutdated(by: same)"),
    14: ("cache", "a URL isn't removed in all partitions",
         "ResourceCache/Storage/MemoryResponseStorage.swift",
         "for partition in partitions[url] ?? [] {",
         "for partition in (@ ? [] : partitions[url] ?? []) {"),
    15: ("loads", "what is stale counts as fresh for three seconds",
         "ResourceCache/Policy/CacheDecision.swift",
         "if staleness < .zero { return .fresh }",
         "if staleness < (@ ? .seconds(3) : .zero) { return .fresh }"),
    16: ("loads", "stale-while-revalidate is too long",
         "ResourceCache/Policy/CacheDecision.swift",
         "staleness <= grace {", "staleness <= (@ ? grace + .seconds(10) : grace) {"),
    17: ("cache", "all users share a partition",
         "ResourceCache/CachedLoad.swift",
         "      ?? CachePartition(identity, asking: url, sharing: sharedHeaders)",
         "      ?? (@ ? .anonymous : CachePartition(identity, asking: url, sharing: sharedHeaders))"),
    18: ("cache", "a shared exchange stores what was sent before a removal",
         "ResourceCache/CachedLoad+Sending.swift",
         "StoringRule.mayStore(after: provenance.redirects), !mark.isLater(than: response)",
         "StoringRule.mayStore(after: provenance.redirects), @ || !mark.isLater(than: response)"),
    19: ("cache", "a revalidation in the background forgets when its load began",
         "ResourceCache/CachedLoad+Sending.swift",
         "storage, partitions, since: mark)\n      guard",
         "storage, partitions, since: @ ? nil : mark)\n      guard"),
    # Live resources
    20: ("live", "an invalidation during a load is forgotten",
         "ResourceState/State/LiveMachine.swift",
         "    load?.demand = .another\n    return", "    if !(@) { load?.demand = .another }\n    return"),
    21: ("live", "a load that is asked for twice is begun once",
         "ResourceState/State/LiveMachine.swift",
         "    if load?.demand == .another { return begin(.server, .reload) }",
         "    if !(@), load?.demand == .another { return begin(.server, .reload) }"),
    22: ("live", "loads go on during a write",
         "ResourceState/State/LiveMachine.swift",
         "    if !writes.contains(write) { writes.append(write) }\n"
         "    changes.append(Change(write: write, apply: apply))",
         "    if !writes.contains(write) { writes.append(write) }\n"
         "    if !(@) { changes.append(Change(write: write, apply: apply)) }"),
    23: ("live", "the change of a failed write stays",
         "ResourceState/State/LiveMachine.swift",
         "      changes.removeAll { $0.write == write }",
         "      if !(@) { changes.removeAll { $0.write == write } }"),
    # Outbox
    25: ("outbox", "what a dead process was sending isn't sent again",
         "ResourceOutbox/OutboxTables+Sending.swift",
         "THEN \\(Self.waiting) ELSE state END", "THEN \\(@ ? Self.sending : Self.waiting) ELSE state END"),
    26: ("outbox", "entries overtake those before them",
         "ResourceOutbox/OutboxTables+Sending.swift",
         "AND blockers = 0 AND isPaused = 0 AND due <= ?1 ORDER BY",
         "AND blockers = \\(@ ? \"blockers\" : \"0\") AND isPaused = 0 AND due <= ?1 ORDER BY"),
    27: ("outbox", "each attempt has a key of its own",
         "ResourceOutbox/OutboxSender+Attempts.swift",
         "\\(lease.entry.id.uuidString.lowercased())",
         "\\((@ ? UUID() : lease.entry.id).uuidString.lowercased())"),
    28: ("outbox", "a write that may have arrived is sent again",
         "ResourceOutbox/OutboxTables+Sending.swift",
         "AND e.session = ?1 AND e.mayRepeat = 0",
         "AND e.session = ?1 AND e.mayRepeat = \\(@ ? 2 : 0)"),
    29: ("outbox", "an entry is removed before it is answered",
         "ResourceOutbox/OutboxTables+Sending.swift",
         "    case .wait(let wait, let error):\n",
         "    case .wait(_, let error?) where @ && !error.isUnsent: try park(entry, error)\n"
         "    case .wait(let wait, let error):\n"),
    # Promises
    30: ("promises", "the second observer isn't called",
         "PromiseModule/State/Machine.swift",
         ".sorted(by: { $0.key < $1.key })", ".sorted(by: { $0.key < $1.key }).dropFirst(@ ? 1 : 0)"),
    31: ("promises", "an observer that waits its turn isn't called",
         "PromiseModule/State/Machine.swift",
         "      if let next = extras.queues[index].waiting.popFirst() { return next }",
         "      if !(@), let next = extras.queues[index].waiting.popFirst() { return next }"),
    32: ("promises", "a promise that follows another isn't bound to it",
         "PromiseModule/State/Machine.swift",
         "    isBound = true\n", "    isBound = !(@)\n"),
    33: ("promises", "an error of one input is passed over",
         "PromiseModule/Combine/Combination.swift",
         "if let decided = early(outcome) {", "if !(@), let decided = early(outcome) {"),
}


def copy(source, target):
    changed = {}
    for number, (_, words, path, text, replacement) in FAULTS.items():
        content = changed.get(path) or open(os.path.join(source, "Sources", path)).read()
        if content.count(text) != 1:
            sys.exit(f"fault {number} ({words}): {path} has its text {content.count(text)} times")
        changed[path] = content.replace(text, replacement.replace("@", f"plantedFault() == {number}"))
    for folder, _, names in os.walk(os.path.join(source, "Sources")):
        for name in names:
            path = os.path.join(folder, name)
            relative = os.path.relpath(path, os.path.join(source, "Sources"))
            if ".docc" in relative:
                continue
            content = changed.get(relative, "").encode() or open(path, "rb").read()
            copied = os.path.join(target, "Sources", relative)
            os.makedirs(os.path.dirname(copied), exist_ok=True)
            if not os.path.exists(copied) or open(copied, "rb").read() != content:
                open(copied, "wb").write(content)


if sys.argv[1] == "--list":
    for number, (world, words, *_) in FAULTS.items():
        if not sys.argv[2:] or str(number) in sys.argv[2:]:
            print(number, world, words)
else:
    copy(sys.argv[1], sys.argv[2])
