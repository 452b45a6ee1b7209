/// What the documentation promises, as every world holds it against the library. A violation names
/// the promise and tells what was seen instead.
enum Invariant: String {
  // Loads
  case endsOnce = "each load ends exactly once"
  case endsInTime = "a load ends within its time limit, and soon after it was cancelled"
  case ownResponse = "a load gets the response to its own request"
  case ownUser = "nothing of one user reaches another"
  case currentExchange = "a response from the network was received after the load had begun"
  case removedIsGone = "nothing from before a removal is used after it"
  case noOlderThanWrite = "a load that begins after a write has ended sees the write"
  case mayBeStored = "what must not be stored isn't used again"
  case neverOlder = "a stored response isn't replaced by an older one"
  case selected = "a stored response is used for requests that select it alone"
  case freshness = "a cached response is one that RFC 9111 allows"
  case requestPolicy = "the number of requests is within the policy"
  case renewsOnce = "a credential isn't renewed although the last one is good"
  case ownLimits = "a load fails by its own limits, and is cancelled by its own caller"
  case withinLimit = "no more requests run at once than the limit lets through"
  case waitsAsAsked = "no request is sent before the time for which the server has asked"
  case recovers = "a failure that passes isn't final"
  case closedIsClosed = "a closed client sends nothing"
  case sendsWhenFree = "a load is sent as soon as there is room for it"

  // Services
  case hedgesOnlyReads = "what has effects isn't sent twice at once, and nothing three times"
  case probesOnly = "an open circuit lets through nothing but probes"
  case tellsDeadline = "a request tells how much time its load has left"

  // Transfers
  case isPrefix = "a reader of a stream gets its bytes in order, each once"
  case wholeOrError = "what ends without an error is whole"
  case fileIsWhole = "a downloaded file has the whole content of one version"
  case leavesNoFile = "a download that failed leaves nothing behind that wasn't asked for"

  // What is left
  case comesToRest = "the world comes to rest"
  case nothingRuns = "no exchange is left running"
  case everythingIsFree = "no slot, connection or byte of the memory budget is left taken"
  case nothingLives = "nothing is alive at the end"

  // Live resources
  case observersAreTold = "observers end with the server's last value"
  case setIsNewer = "nothing that began before a value was set is shown after it"
  case writesAreShown = "an observer never sees its own write undone while it is under way"

  // Writes
  case acknowledgedIsKept = "an acknowledged write takes effect"
  case takesEffectOnce = "a write takes effect once"
  case sentAlone = "a write isn't sent while it is under way"
  case keepsOrder = "the writes of a key take effect in order"
  case isNotStuck = "a write that may be repeated is neither parked nor left uncertain"
  case uploadIsWhole = "an upload is stored whole"
  case opensAgain = "what a dead process leaves behind opens again"

  // Sockets
  case messagesInOrder = "messages arrive in their order, each once"
  case messagesAreRead = "what has arrived is read before the end"
  case saysWhy = "what isn't sent fails with the reason for which the connection ended"
  case undeliveredIsKnown = "what the system hadn't taken is known at the end"
  case endsAsClosed = "messages end without an error only if the server has closed the socket"

  // Collections
  case shownOnce = "a row is shown once"
  case refersToRow = "a row refers to the row to which it was made to refer"

  // Promises
  case observedOnce = "each observer is called exactly once"
  case followsModel = "a promise has the outcome of its operations"
}
