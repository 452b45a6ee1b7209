import Dispatch
import Foundation
import FoundationNetworking
import Handwritten
import Measuring
import ResourceLoading
import Rows

/// One load after another, awaited.
func registerAwaiting(_ url: URL) {
  let ours = URLSession.makeBare()
  let resource = Resource<Document>(json: url)
  Row.loadAwait.registerAsync(.ours) { count in
    for _ in 0..<count { check(await result { try await ours.load(resource) }) }
  }
  let theirs = URLSession.makeBare()
  let decoder = JSONDecoder()
  Row.loadAwait.registerAsync(.handwritten) { count in
    for _ in 0..<count {
      check(await result { try await theirs.decode(Document.self, at: url, with: decoder) })
    }
  }
}

/// One load after another, each told to a callback.
func registerCallbacks(_ url: URL) {
  let ours = URLSession.makeBare()
  let resource = Resource<Document>(json: url)
  Row.loadCallback.register(.ours) { count in
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<count {
      ours.load(resource) { result in
        check(result)
        done.signal()
      }
      done.wait()
    }
  }
  let theirs = URLSession.makeBare()
  let decoder = JSONDecoder()
  Row.loadCallback.register(.handwritten) { count in
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<count {
      theirs.decode(Document.self, at: url, with: decoder) { result in
        check(result)
        done.signal()
      }
      done.wait()
    }
  }
}

/// A load that fails costs less, and makes a row a lie.
private func check(_ result: Result<Document, any Error>) {
  if case .failure(let error) = result { preconditionFailure("a load failed: \(error)") }
}

private func result(_ body: () async throws -> Document) async -> Result<Document, any Error> {
  do { return .success(try await body()) } catch { return .failure(error) }
}
