import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import Testing

/// In which task a stage runs.
@Suite(.timeLimit(.minutes(5)))
struct StageTaskTests {
  private final class Stage: Middleware {
    let isTransparent: Bool
    private let seen = Mutex<[Int]>([])

    init(isTransparent: Bool) { self.isTransparent = isTransparent }

    static var current: Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }

    var tasks: [Int] { seen.withLock(\.self) }

    func respond(to request: Request, next: Next) async throws -> Response {
      seen.withLock { $0.append(Self.current) }
      return try await next(request)
    }
  }

  @Test
  func `the outermost opaque stage gets a task, in which the stages behind it run`()
    async throws
  {
    let transport = StubTransport()
    transport.stub("*", .response(body: Data("ok".utf8)))
    let stages = [true, false, true, false].map { Stage(isTransparent: $0) }
    let client = Client(baseURL: URL(string: "https://example.org")) {
      $0.transport = transport
      $0.middleware = stages
    }

    _ = try await client.load(.text(.get("/")))

    let tasks = stages.map { $0.tasks.first ?? 0 }
    #expect(tasks[0] == Stage.current)
    #expect(tasks[1] != Stage.current)
    #expect(tasks[2] == tasks[1] && tasks[3] == tasks[1])
  }

  @Test func `a stage is cancelled before its load fails`()
    async throws
  {
    struct Endless: Middleware {
      let wasCancelled = Gate()
      let isOver = Gate()

      func respond(to request: Request, next: Next) async throws -> Response {
        await withTaskCancellationHandler {
          // It doesn't heed its cancellation.
          await Task { try? await isOver.opened() }.value
        } onCancel: {
          wasCancelled.open()
        }
        return try await next(request)
      }
    }
    let stage = Endless()
    let client = Client(baseURL: URL(string: "https://example.org")) { $0.middleware = [stage] }

    let error = await #expect(throws: LoadError.self) {
      try await client.load(.void(.get("/").timeout(.milliseconds(50))))
    }

    #expect(error?.kind == .timedOut)
    #expect(stage.wasCancelled.isOpen)
    stage.isOver.open()
  }
}
