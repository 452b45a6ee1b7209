/// An item together with the name of the feed it is from.
struct ListedItem: Sendable, Equatable {
  let feed: String
  let item: KeptItem
}
