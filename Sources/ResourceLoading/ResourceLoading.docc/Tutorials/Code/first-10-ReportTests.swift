import ResourceTesting
import Testing

@testable import Stars

struct ReportTests {
  private let loader = StubLoader()

  @Test func `the most stars come first`() async {
    loader.stub(
      "/users/ada/repos",
      .json(
        #"""
        [{"name": "notes", "stargazers_count": 2}, {"name": "engine", "stargazers_count": 9}]
        """#))

    let text = await report(on: "ada", from: loader)

    #expect(text == "9 engine\n2 notes")
  }

  @Test func `an unknown user has a message`() async {
    loader.stub("/users/nobody/repos", .status(.notFound))

    let text = await report(on: "nobody", from: loader)

    #expect(text == "There is no nobody.")
  }
}
