import ResourceLoading
import ResourceState

#if canImport(SwiftUI)
  import SwiftUI
#endif

struct IssueList: View {
  @State private var issues: LiveResource<[Issue]>

  init(of project: String, in live: LiveResources) {
    _issues = State(initialValue: live.resource(.issues(of: project)))
  }

  var body: some View {
    List(issues.value ?? []) { issue in Text(issue.title) }
      .overlay {
        if issues.isLoading && issues.value == nil { ProgressView() }
      }
      .refreshable { await issues.reload() }
  }
}

#if canImport(SwiftUI)
  extension View {
    /// SwiftUI's views can't be inspected.
    @MainActor var shown: String { "" }
    @MainActor func refresh() async {}
  }
#else
  // The parts of SwiftUI that the view needs. A test can read its texts and its overlay, and
  // refresh it.

  @MainActor
  protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
    var shown: String { get }
    func refresh() async
  }

  extension View {
    var shown: String { body.shown }
    func refresh() async { await body.refresh() }
  }

  extension Never: View {
    var body: Never { fatalError("a view without a body has none") }
  }

  @resultBuilder
  @MainActor
  enum ViewBuilder {
    static func buildExpression<Content: View>(_ view: Content) -> Content { view }
    static func buildBlock<Content: View>(_ view: Content) -> Content { view }
    static func buildOptional<Content: View>(_ view: Content?) -> Content? { view }
  }

  extension Optional: View where Wrapped: View {
    var body: Never { fatalError("a view without a body has none") }
    var shown: String { map(\.shown) ?? "" }
    func refresh() async {}
  }

  @MainActor
  struct Text: View {
    let text: String
    init(_ text: String) { self.text = text }
    var body: Never { fatalError("a view without a body has none") }
    var shown: String { text }
    func refresh() async {}
  }

  @MainActor
  struct ProgressView: View {
    var body: Never { fatalError("a view without a body has none") }
    var shown: String { "loading" }
    func refresh() async {}
  }

  @MainActor
  struct List: View {
    let rows: [String]
    var overlay: String?
    var refreshing: () async -> Void = {}

    init<Element: Identifiable, Row: View>(
      _ elements: [Element], @ViewBuilder row: (Element) -> Row
    ) {
      rows = elements.map { row($0).shown }
    }

    func overlay<Content: View>(@ViewBuilder _ content: () -> Content) -> List {
      var list = self
      let shown = content().shown
      list.overlay = shown.isEmpty ? nil : shown
      return list
    }

    func refreshable(_ action: @escaping () async -> Void) -> List {
      var list = self
      list.refreshing = action
      return list
    }

    var body: Never { fatalError("a view without a body has none") }
    var shown: String {
      let texts = rows.isEmpty ? "nothing" : rows.joined(separator: ", ")
      return "\(texts), loading: \(overlay != nil)"
    }
    func refresh() async { await refreshing() }
  }

  @MainActor
  @propertyWrapper
  struct State<Value> {
    var wrappedValue: Value
    init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    init(initialValue: Value) { self.init(wrappedValue: initialValue) }
  }
#endif
