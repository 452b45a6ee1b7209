import Foundation
import Testing

@testable import ResourceLoading

/// The decisions about the steps of an upload.
struct UploadMachineTests {
  private let url = URL(string: "https://example.com/files")!
  private let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func machine(
    _ strategy: any UploadStrategy = ResumableUploads(), of length: Int = 1000,
    at offset: Int? = nil, ownMaximum: Int? = nil, _ change: (inout UploadRecord) -> Void = { _ in }
  ) -> UploadMachine {
    let target = offset.map { _ in url.appending(path: "1") }
    var record = UploadRecord(
      strategy: strategy.name,
      state: UploadState(length: length, url: target, offset: offset ?? 0))
    change(&record)
    return UploadMachine(
      record, by: strategy,
      UploadMachine.Rules(
        mayRepeat: false, isCareful: true, delaysEnd: true, maximumRequestSize: ownMaximum,
        maximumFailures: 3))
  }

  /// Plays an answer; returns whether the upload goes on.
  private func play(
    _ answer: UploadAnswer, to step: UploadStep, _ machine: inout UploadMachine,
    _ status: Status = 204
  ) throws -> Bool {
    machine.begin(step)
    switch try machine.receive(answer, to: step, status, from: url, at: now) {
    case .proceed: return true
    case .finish: return false
    }
  }

  @Test(arguments: [(-1.0, true), (0, true), (1, false)])
  func `an upload that has expired isn't asked for, but begins anew`(
    _ seconds: Double, _ isOver: Bool
  ) throws {
    var machine = machine(at: 400) { $0.state.expires = now.addingTimeInterval(seconds) }

    #expect(try machine.next(at: now) == (isOver ? .create(0..<0) : .findOffset))
    #expect((machine.state.url == nil) == isOver)
  }

  @Test func `an upload that has expired, and that the server may have whole, is asked for`() throws
  {
    var machine = machine(at: 400) {
      ($0.state.expires, $0.mayBeComplete) = (now - 1, true)
    }

    #expect(try machine.next(at: now) == .findOffset)
  }

  @Test func `a server whose uploads expire at once is asked in the end`() throws {
    var machine = machine(at: 0) { $0.state.expires = now }
    var steps: [UploadStep] = []
    var goesOn = true

    while goesOn, steps.count < 50 {
      let step = try machine.next(at: now)
      steps.append(step)
      let report = UploadReport(location: "/files/1", offset: 0, expiry: .age(.zero))
      goesOn =
        switch step {
        case .create: try play(.incomplete(report), to: step, &machine, 201)
        default: try play(.interrupted(UploadReport()), to: step, &machine, 500)
        }
    }

    #expect(!goesOn)
    #expect(steps.contains(.findOffset))
  }

  @Test func `an upload that is created without a URL isn't created forever`() throws {
    var machine = machine()
    var count = 0

    while try play(.incomplete(UploadReport(offset: 0)), to: .create(0..<0), &machine, 200) {
      count += 1
    }

    #expect(count == 3)
  }

  @Test func `a server that loses again and again what it had is given up`() throws {
    var machine = machine(at: 0)
    _ = try play(.incomplete(UploadReport(offset: 500)), to: .findOffset, &machine)
    var count = 0

    while count < 50 {
      count += 1
      let step = try machine.next(at: now)
      let lost = UploadAnswer.interrupted(UploadReport(offset: 0))
      guard try play(lost, to: step, &machine, 409) else { break }
      let regained = UploadAnswer.incomplete(UploadReport(offset: 400))
      let next = try machine.next(at: now)
      #expect(try play(regained, to: next, &machine))
    }

    #expect(count == 4)
  }

  @Test func `a server that has everything, and calls it incomplete, is given up`() throws {
    var machine = machine(at: 1000)
    let all = UploadAnswer.incomplete(UploadReport(offset: 1000))
    _ = try play(all, to: .findOffset, &machine)
    var count = 0

    while count < 50 {
      count += 1
      let step = try machine.next(at: now)
      #expect(step == .append(1000..<1000))
      guard try play(all, to: step, &machine) else { break }
    }

    #expect(count == 4)
  }

  @Test func `a part of an upload that was lost without a URL is sent again`() throws {
    var machine = machine { $0.state.limits.maximumRequestSize = 400 }
    let step = UploadStep.create(0..<400)

    machine.begin(step)
    let outcome = try machine.interrupt(step, wasSent: true)

    guard case .proceed(isFailure: true) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(machine.record.isSafe)
  }

  @Test func `a copied piece isn't smaller than the server takes`() throws {
    var machine = machine(at: 0, ownMaximum: 100) { $0.state.limits.minimumRequestSize = 300 }
    _ = try play(.incomplete(UploadReport(offset: 200)), to: .findOffset, &machine)

    #expect(try machine.next(at: now) == .append(200..<500))
  }

  @Test func `a resource that refuses what was uploaded leaves nothing to resume`() throws {
    var machine = machine(at: 400)

    machine.endRefused()

    #expect(!machine.record.hasBegun)
    #expect(!machine.record.isSafe)
  }
}
