import EventIO
import HTTPClient
import HTTPCore
import Primitives
import TestKit
import Testing

private let fine = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

@Suite struct `Where requests may go` {
    @Test(
        arguments: [
            ("127.0.0.1", true, false, false), ("::1", true, false, false),
            ("10.1.2.3", true, true, false), ("172.31.255.255", true, true, false), ("192.168.0.1", true, true, false),
            ("100.127.0.1", true, true, false), ("fd12:3456::1", true, true, false),
            ("64:ff9b::a00:1", true, true, false), ("::ffff:192.168.0.1", true, true, false),
            ("172.32.0.1", true, true, true), ("192.169.0.1", true, true, true), ("203.0.114.1", true, true, true),
            ("2001:db9::1", true, true, true), ("64:ff9b::808:808", true, true, true),
            ("169.254.169.254", false, false, false), ("0.0.0.0", true, false, false),
            ("fe80::1", false, false, false),
            ("fd00:ec2::254", false, false, false), ("64:ff9b::a9fe:a9fe", false, false, false),
            ("::ffff:127.0.0.1", true, false, false), ("2002:7f00:1::", false, false, false),
        ]
    )
    func `is a matter of the address`(text: String, every: Bool, others: Bool, publicly: Bool) throws {
        let isVersion6 = text.contains(":")
        let number = try #require(isVersion6 ? IPNumber(version6: text) : IPNumber(version4: text))
        #expect(ClientConfiguration.Reach.everyMachine.includes(number) == every)
        #expect(ClientConfiguration.Reach.otherMachines.includes(number) == others)
        #expect(ClientConfiguration.Reach.publicMachines.includes(number) == publicly)
    }

    @Test(arguments: [ClientConfiguration.Reach.otherMachines, .publicMachines])
    func `is seen from what a name leads to`(reach: ClientConfiguration.Reach) async throws {
        try await withLoop { reactor in
            let server = try ScriptServer.answering(fine, reactor)
            let port = try server.address.port
            let request = OutboundRequest(method: "GET", url: "http://localhost:\(port)/")
            var configuration = ClientConfiguration()
            #expect(try await CurlClient(reactor, configuration: configuration).send(request).status == 200)
            configuration.reach = reach
            let error = await #expect(throws: HTTPExchangeError.self) {
                try await CurlClient(reactor, configuration: configuration).send(request)
            }
            #expect(error?.code == .connectFailed && error?.detail == "the name leads to a refused address")
            #expect(server.peers.count == 1)
        }
    }

    @Test(arguments: ["10.255.255.1", "[fd12:3456::1]"])
    func `is a private network only where that is wanted`(host: String) async throws {
        try await withLoop { reactor in
            var configuration = ClientConfiguration()
            configuration.reach = .publicMachines
            let request = OutboundRequest(method: "GET", url: "https://\(host)/")
            let error = await #expect(throws: HTTPExchangeError.self) {
                try await CurlClient(reactor, configuration: configuration).send(request)
            }
            #expect(error?.detail == "the name leads to a refused address")
        }
    }
}
