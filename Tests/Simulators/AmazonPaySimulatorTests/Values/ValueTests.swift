import AmazonPaySimulator
import EventIO
import Primitives
import SimulatorCore
import Testing

@Suite("ISO 8601")
struct ISO8601Tests {
    @Test(arguments: [
        ("PT25H", 90_000), ("P30D", 2_592_000), ("P1DT2H3M4S", 93_784), ("PT0S", 0), ("P2W", 1_209_600),
        ("PT90M", 5_400),
    ])
    func `durations are added up`(text: String, seconds: Int) {
        #expect(ISO8601.duration(text) == .seconds(seconds))
    }

    @Test(arguments: [
        "", "P", "PT", "25H", "P1Y", "P1M", "PT1D", "P1H", "PT1.5H", "PT1HT1M", "PT1M1H", "-PT1H", "PT-1H", "P1DT",
        "PT99999999999S", "P100001D", "pt1h",
    ])
    func `other texts are no duration`(text: String) {
        #expect(ISO8601.duration(text) == nil)
    }
}

@Suite("A simulator's configuration")
struct SimulatorConfigurationTests {
    private static let loopback = SocketAddress(v4: 0x7F00_0001, port: 0)

    @Test func `is free of problems as it is documented`() {
        #expect(Bench.configuration.problems(listeningOn: Self.loopback).isEmpty)
    }

    @Test func `reports every problem at once`() {
        var configuration = SimulatorConfiguration(baseURL: "localhost", merchants: [], seed: [])
        configuration.buyers = []
        #expect(configuration.problems(listeningOn: Self.loopback).count == 3)
        let twice = Merchant(id: "A", storeIDs: [], publicKeys: [.init(id: "K", pem: "")], ledgerCurrency: "XYZ")
        configuration = SimulatorConfiguration(merchants: [twice, twice], seed: [])
        let problems = configuration.problems(listeningOn: Self.loopback)
        #expect(problems.contains { $0.contains("currency") })
        #expect(problems.contains { $0.contains("no store") })
        #expect(problems.contains { $0.contains("key id is registered twice") })
        #expect(problems.contains { $0.contains("merchant id is registered twice") })
        #expect(problems.contains { $0.contains("RSA") })
    }

    @Test func `lets other machines in only when told`() {
        let everywhere = SocketAddress(v4: 0, port: 9443)
        var configuration = Bench.configuration
        #expect(configuration.problems(listeningOn: everywhere).count == 1)
        configuration.insecureAllowsOthers = true
        #expect(configuration.problems(listeningOn: everywhere).isEmpty)
    }

    @Test func `with the same seed gives the same ids`() {
        var (one, two, three) = (Bench(), Bench(), Bench { $0.seed = [9] })
        let id = one.checkOut()
        #expect(two.checkOut() == id)
        #expect(three.checkOut() != id)
    }
}
