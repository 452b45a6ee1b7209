import Foundation
import ResourceJSON
import ResourceLoading

// Samples of the documentation of transfers.

private struct Measurement: Decodable, Sendable { var value: Double }
private struct Issue: Decodable, Sendable { var title: String }
private struct Answer: Decodable, Sendable { var text: String? }

private func show(_ issue: Issue) {}
private func show(_ answer: Answer) {}

func readIssues(_ client: Client) async throws {
  for try await issue in client.elements(of: Issue.self, at: "items", in: .get("/issues")) {
    show(issue)
  }
}

func readIssuesOfStream(_ client: Client) async throws {
  let stream = try await client.stream(.get("/issues"))
  for try await issue in stream.elements(of: Issue.self, at: "items") { show(issue) }
}

func readAnswer(_ client: Client, _ request: Request) async throws {
  let stream = try await client.stream(request)
  let answers = stream.events.partials(of: Answer.self, joining: "choices[0].delta.content")
  for try await answer in answers { show(answer.soFar) }
}

func readAnswerOfBody(_ stream: ResponseStream) async throws {
  for try await answer in stream.partials(of: Answer.self) { show(answer.soFar) }
}

func loadManual(_ client: Client, to file: URL) async throws {
  let manual = Resource.download(.get("/manual.pdf"), to: file, resuming: true)
    .onProgress { print($0.fraction ?? 0) }
  let download = try await client.load(manual)
  print(download.size, download.resumedSize)
}

func loadModel(_ client: Client, to file: URL, hash: String) async throws {
  let download = try await client.download(.get("/models/large.gguf"), to: file) {
    $0.parts = .automatic
    $0.digest = .sha256(hash)
  }
  print(download.size, download.resumedSize)

  let model = Resource.download(.get("/models/large.gguf"), to: file) {
    $0.parts = .automatic
    $0.digest = .sha256(hash)
  }
  print(model)
}

private struct Stored: Decodable, Sendable { var id: String }

func upload(_ client: Client, _ file: URL) async throws {
  let stored: Stored = try await client.load(.upload(.post("/files"), file: file))
  print(stored.id)
}

func uploadToGoogle(_ client: Client, _ file: URL) async throws {
  let request = Request.post("/upload/storage/v1/b/photos/o?uploadType=resumable&name=a.jpg")
  try await client.load(.void(.upload(request, file: file, resuming: .using(SessionUploads()))))
}

func loadSet(_ client: Client, _ manifest: [Resource<Download>]) async {
  let files = client.downloads(manifest, maximumConcurrency: 3).onProgress { progress in
    print(progress.fraction ?? 0, progress.timeLeft ?? .zero)
  }
  for await (index, result) in files { print(index, result) }
}

func sendBackup(_ client: Client, chunks: @escaping @Sendable () -> AsyncStream<Data>) async throws
{
  let request = Request(.put, "/backup", body: .stream(as: .data) { chunks() })
  try await client.load(.void(request).onProgress(of: .upload) { print($0.completed) })
}

func followMeasurements(_ client: Client) async throws {
  for try await event in client.events(of: .get("/updates")) where event.type == "measurement" {
    let value = try JSONDecoder().decode(Measurement.self, from: Data(event.data.utf8))
    print(event.lastEventID, value)
  }
}

func readMeasurements(_ client: Client) async throws {
  let stream = try await client.stream(.get("/measurements"))
  for try await value in stream.values(of: Measurement.self) { print(value) }
}
