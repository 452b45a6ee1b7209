import CSimulation
import Foundation

/// `Simulation COMMAND WORLD [ARGUMENT …]`, as `../simulate` calls it.
@main
enum Main {
  private static let worlds: [String: World.Type] = [
    "cache": CacheWorld.self, "live": LiveWorld.self, "loads": LoadsWorld.self,
    "offline": OfflineWorld.self, "outbox": OutboxWorld.self, "promises": PromisesWorld.self,
    "service": ServiceWorld.self, "sockets": SocketsWorld.self, "sync": SyncWorld.self,
    "transfers": TransfersWorld.self,
  ]

  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 3, let world = worlds[arguments[1]] else { usage() }
    let numbers = arguments.dropFirst(2).map { UInt64($0) }
    guard numbers.allSatisfy({ $0 != nil }) else { usage() }
    let command = arguments.removeFirst()
    let simulation = Simulation(world)
    let (first, second) = (numbers[0] ?? 0, numbers.count > 1 ? numbers[1] ?? 0 : 1)
    sim_install()
    _ = sim_vfs_register()
    simulation.warmUp()
    switch command {
    case "run": exit(simulation.run(count: first, from: second) ? 0 : 1)
    case "show":
      sim_plant(numbers.count > 1 ? Int32(second) : 0)
      simulation.show(seed: first)
    case "twice": exit(simulation.compare(count: first, from: second) ? 0 : 1)
    case "hashes": simulation.printHashes(count: first, from: second)
    case "fault": exit(simulation.find(fault: Int32(first), within: Double(second)) ? 0 : 1)
    default: usage()
    }
  }

  private static func usage() -> Never {
    let names = worlds.keys.sorted().joined(separator: ", ")
    print("usage: Simulation run|twice|hashes WORLD COUNT [SEED]")
    print("       Simulation show WORLD SEED [FAULT]")
    print("       Simulation fault WORLD NUMBER SECONDS")
    print("worlds: \(names)")
    exit(64)
  }
}
