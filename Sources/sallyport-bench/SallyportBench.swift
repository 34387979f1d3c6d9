import EventIO
import Foundation
import Persistence
import Postgres
import Primitives
import SessionBroker
import Telemetry

/// Fills a database for `make bench`: the load generator can then open tickets and show confirm pages at once.
@main
enum SallyportBench {
    private static let usage = """
        usage: sallyport-bench seed open|confirm COUNT DATA-DIR
          open      prints launch tickets that nobody has opened
          confirm   prints tab tokens of flows whose order has been reviewed
          DATA-DIR  the data directory of a running `sallyport serve` with a private cluster
        """

    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count == 4, words[0] == "seed", let kind = Seeder.Kind(rawValue: words[1]),
            let count = Int(words[2]),
            count > 0
        else {
            StandardStream.error.write(usage + "\n")
            exit(2)
        }
        do {
            let cluster = PrivateCluster(dataDirectory: words[3] + "/postgres")
            let url = Secret(try cluster.start())
            let loop = try EventLoop(name: "seed", logger: .silent)
            try loop.start()
            try await loop.run { reactor in
                let seeder = try Seeder(reactor, url: url)
                try await seeder.run(kind, count: count)
            }
            loop.stop()
            loop.join()
        } catch {
            StandardStream.error.write("sallyport-bench: \(String(reflecting: error))\n")
            exit(1)
        }
    }
}
