extension Connection {
  /// Finds a place for one more variant: the first that is free, or else that of the one that was used least
  /// recently.
  ///
  /// - Returns: The number of the row, and whether there is none beside it.
  func makePlace(among places: ResponsePlaces) throws -> (id: Int64, isAlone: Bool) {
    let taken = try uses(at: places)
    guard !taken.isEmpty else { return (places.ids.lowerBound, true) }
    let update = try statement(
      "UPDATE \"HTTPCache responses 2\" SET alone = 0 WHERE id BETWEEN ?1 AND ?2 AND alone")
    try update.bind(places.ids.lowerBound, at: 1)
    try update.bind(places.ids.upperBound, at: 2)
    _ = try run(update)
    if let free = places.ids.first(where: { taken[$0] == nil }) { return (free, false) }
    let oldest = taken.min { $0.value < $1.value }?.key ?? places.ids.lowerBound
    try removeResponse(oldest)
    return (oldest, false)
  }

  /// The rows at some places, and when they were used.
  private func uses(at places: ResponsePlaces) throws -> [Int64: Int64] {
    let select = try statement(
      "SELECT id, used FROM \"HTTPCache responses 2\" WHERE id BETWEEN ?1 AND ?2")
    try select.bind(places.ids.lowerBound, at: 1)
    try select.bind(places.ids.upperBound, at: 2)
    defer { select.reset() }
    var uses: [Int64: Int64] = [:]
    while try select.step() { uses[select.integer(at: 0)] = select.integer(at: 1) }
    return uses
  }
}
