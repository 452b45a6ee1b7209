import ResourceLoading
import ResourcePrimitives

extension ReportText {
  init(_ record: LoadRecord) {
    self.init(record.request, secretNames: record.secretNames)
  }
}

extension Duration {
  /// The length in milliseconds, to the microsecond.
  var milliseconds: Double { (seconds * 1_000_000).rounded() / 1000 }
}
