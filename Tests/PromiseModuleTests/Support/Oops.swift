/// An error that a test can recognise.
struct Oops: Error, Hashable {
  var number = 0
}
