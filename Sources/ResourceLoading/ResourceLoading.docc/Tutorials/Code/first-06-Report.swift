import Foundation
import ResourceLoading

func report(on login: String, from loader: any Loader) async -> String {
  do {
    var repositories: [Repository] = []
    for try await repository in loader.pages(of: .repositories(of: login), by: .link).elements {
      repositories.append(repository)
    }
    return repositories.sorted { $0.stars > $1.stars }
      .map { "\($0.stars) \($0.name)" }
      .joined(separator: "\n")
  } catch {
    return error.localizedDescription
  }
}
