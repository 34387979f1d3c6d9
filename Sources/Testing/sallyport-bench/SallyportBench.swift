import EventIO
import Foundation
import Postgres
import Primitives
import Telemetry

/// What the load generators of `scripts/bench` cannot do: fill a database, walk whole crossings, print the program's SQL.
@main
enum SallyportBench {
    private static let usage = """
        usage: sallyport-bench seed open|confirm COUNT DATABASE-URL
               sallyport-bench place COUNT SERVER SIMULATOR AUTHORITY
               sallyport-bench cross SECONDS WIDTH SERVER SIMULATOR AUTHORITY
               sallyport-bench sql STATEMENT
               sallyport-bench flood RATE CONNECTIONS SECONDS PORT
               sallyport-bench assertion
          seed open     prints launch tickets that nobody has opened, one a line
          seed confirm  prints tab tokens of webview sessions whose order has been reviewed
          place         takes webview sessions up to the purchase; prints cookie and form of each POST /purchase, a tab between
          cross         walks whole crossings, WIDTH at a time, and prints what came of them as JSON
          sql           prints a statement of the program for pgbench: (:p1)::uuid stands for $1, and so on
          flood         asks for RATE tickets a second, 0 for as many as the connections carry, whether or not the answers
                        keep up; prints statuses and times as JSON
          assertion     judges assertions of App Attest beside verifications on P-256; prints the CPU time of each as JSON
          DATABASE-URL  of a migrated database
          SERVER        the clear listener, which must be the web host too: http://localhost:8080
          SIMULATOR     https://localhost:9443, and AUTHORITY the PEM file of who signed its certificate

        """

    static func main() async {
        do {
            guard try await run(Array(CommandLine.arguments.dropFirst())) else {
                StandardStream.error.write(usage)
                exit(2)
            }
        } catch {
            StandardStream.error.write("sallyport-bench: \(String(reflecting: error))\n")
            exit(1)
        }
    }

    /// False where the words make no command.
    private static func run(_ words: [String]) async throws -> Bool {
        switch (words.first, words.count) {
        case ("seed", 4):
            guard let kind = Seeder.Kind(rawValue: words[1]), let count = number(words[2]) else { return false }
            let url = Secret(words[3])
            try await onLoop { reactor in try await Seeder(reactor, url: url).run(kind, count: count) }
        case ("place", 5):
            guard let count = number(words[1]) else { return false }
            let shop = ShopAddress(words[2...])
            try await onLoop { reactor in try await Walker(reactor, shop).place(count) }
        case ("cross", 6):
            guard let seconds = number(words[1]), let width = number(words[2]) else { return false }
            let shop = ShopAddress(words[3...])
            try await onLoop { reactor in try await Walker(reactor, shop).cross(seconds: seconds, width: width) }
        case ("flood", 5):
            guard let rate = Int(words[1]), let connections = number(words[2]), let seconds = number(words[3]),
                let port = UInt16(words[4])
            else { return false }
            let plan = Flood.Plan(issuingAt: rate, connections, seconds, port: port)
            try await onLoop { reactor in StandardStream.output.write(try await Flood(reactor, plan).run() + "\n") }
        case ("sql", 2):
            StandardStream.output.write(try PgbenchText.statement(words[1]) + "\n")
        case ("assertion", 1):
            StandardStream.output.write("\(try AssertionCost.measure())\n")
        default:
            return false
        }
        return true
    }

    private static func number(_ text: String) -> Int? {
        Int(text).flatMap { $0 > 0 ? $0 : nil }
    }

    private static func onLoop(_ body: @escaping @Sendable (Reactor) async throws -> Void) async throws {
        let loop = try EventLoop(name: "bench", logger: .silent)
        try loop.start()
        defer {
            loop.stop()
            loop.join()
        }
        try await loop.run { reactor in try await body(reactor) }
    }
}
