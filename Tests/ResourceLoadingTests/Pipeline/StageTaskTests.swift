import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import Testing

/// The task in which the stages of a load run.
@Suite(.timeLimit(.minutes(15)))
struct StageTaskTests {
  private final class Stage: Middleware {
    private let seen = Mutex<[Int]>([])

    static var current: Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }

    var tasks: [Int] { seen.withLock(\.self) }

    func respond(to request: Request, next: Next) async throws -> Response {
      seen.withLock { $0.append(Self.current) }
      return try await next(request)
    }
  }

  @Test func `all stages run in one task, which belongs to the load`() async throws {
    let transport = StubTransport()
    transport.stub("*", .response(body: Data("ok".utf8)))
    let stages = (0..<3).map { _ in Stage() }
    let client = Client(baseURL: URL(string: "https://example.org")) {
      $0.transport = transport
      $0.middleware = stages
    }

    _ = try await client.load(.text(.get("/")))

    let tasks = Set(stages.flatMap(\.tasks))
    #expect(tasks.count == 1)
    #expect(!tasks.contains(Stage.current))
  }

  @Test func `a stage is cancelled before its load fails`()
    async throws
  {
    struct Endless: Middleware {
      let wasCancelled = Gate()
      let isOver = Gate()

      func respond(to request: Request, next: Next) async throws -> Response {
        await withTaskCancellationHandler {
          // It ignores its cancellation.
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
