/// One column by which rows are sorted, made by ``Column/ascending`` or ``Column/descending``.
///
/// Numbers sort before texts, and texts by their Unicode scalars.
public struct Ordering<M: StoredModel>: Sendable, Hashable {
  let column: String
  let isDescending: Bool
}
