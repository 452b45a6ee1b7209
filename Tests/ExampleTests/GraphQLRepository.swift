// A screen's repository over GraphQL.
//
// What it shows: a query with variables, pages by cursor, a mutation, partial data, and the errors
// of GraphQL, which come with status 200.

import Foundation
import ResourceLoading
import ResourceTesting
import Testing

private struct Issues: Decodable, Sendable {
  struct Issue: Decodable, Sendable, Equatable {
    let number: Int
    let title: String
  }
  struct PageInfo: Decodable, Sendable {
    let endCursor: String?
    let hasNextPage: Bool
  }
  let nodes: [Issue]
  let pageInfo: PageInfo
}

/// The operations of the screen with issues.
private struct IssueRepository: Sendable {
  let client: any Loader

  /// The open issues of a project, from a cursor on.
  func issues(of project: String, after cursor: String? = nil) async throws -> Issues {
    let query = GraphQLOperation(
      """
      query ($project: String!, $after: String) {
        project(name: $project) {
          issues(first: 20, after: $after, states: OPEN) {
            nodes { number title }
            pageInfo { endCursor hasNextPage }
          }
        }
      }
      """,
      variables: ["project": project, "after": cursor])
    return try await client.load(
      .graphQL(query, to: .post("graphql"), at: "project.issues"))
  }

  /// All of them, page after page.
  func allIssues(of project: String) async throws -> [Issues.Issue] {
    var (issues, cursor): ([Issues.Issue], String?) = ([], nil)
    repeat {
      let page = try await self.issues(of: project, after: cursor)
      issues += page.nodes
      cursor = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : nil
    } while cursor != nil
    return issues
  }

  /// Closes an issue and returns its title.
  func close(_ number: Int) async throws -> String {
    struct Closed: Decodable, Sendable { let title: String }
    let mutation = GraphQLOperation(
      "mutation ($number: Int!) { closeIssue(number: $number) { title } }",
      variables: ["number": number])
    return try await client.load(
      Resource<Closed>.graphQL(mutation, to: .post("graphql"), at: "closeIssue")
    ).title
  }

  /// The content of the screen's header, without parts that the server can't provide.
  func summary(of project: String) async throws -> (stars: Int?, unavailable: [String]) {
    struct Root: Decodable, Sendable {
      struct Project: Decodable, Sendable { let stars: Int? }
      let project: Project?
    }
    let query = GraphQLOperation(
      "query ($project: String!) { project(name: $project) { stars } }",
      variables: ["project": project])
    let response = try await client.load(
      Resource<GraphQLResponse<Root>>.graphQL(query, to: .post("graphql")))
    return (response.data?.project?.stars, response.errors.map(\.message))
  }
}

@Suite(.timeLimit(.minutes(15)))
struct GraphQLExampleTests {
  private let transport = StubTransport()
  private let repository: IssueRepository

  init() throws {
    let url = try #require(URL(string: "https://api.example.org"))
    let client = Client(baseURL: url) { [transport] in $0.transport = transport }
    repository = IssueRepository(client: client)
  }

  private func page(_ number: Int, next: String?) -> StubAnswer {
    let info =
      next.map { #"{"endCursor": "\#($0)", "hasNextPage": true}"# }
      ?? #"{"endCursor": null, "hasNextPage": false}"#
    return .json(
      """
      {"data": {"project": {"issues": {
        "nodes": [{"number": \(number), "title": "Issue \(number)"}], "pageInfo": \(info)}}}}
      """)
  }

  @Test func `the pages follow one another by cursor`() async throws {
    transport.stub("POST /graphql", page(1, next: "abc"), page(2, next: nil))

    let issues = try await repository.allIssues(of: "atlas")

    #expect(issues.map(\.number) == [1, 2])
    #expect(transport.requests.count == 2)
  }

  @Test func `a refused mutation throws the server's message`() async {
    transport.stub(
      "POST /graphql", .json(#"{"data": null, "errors": [{"message": "not yours to close"}]}"#))

    let error = await #expect(throws: LoadError.self) { try await repository.close(7) }

    #expect(error?.kind == .graphQL)
    #expect(error?.serverMessage == "not yours to close")
  }

  @Test func `partial data is shown with its error`() async throws {
    transport.stub(
      "POST /graphql",
      .json(#"{"data": {"project": {"stars": null}}, "errors": [{"message": "stars are down"}]}"#))

    let summary = try await repository.summary(of: "atlas")

    #expect(summary.stars == nil)
    #expect(summary.unavailable == ["stars are down"])
  }
}
