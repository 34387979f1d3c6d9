import AmazonPaySimulator
import EventIO
import HTTPClient
import HTTPCore
import HTTPServer
import Primitives
import TLS
import Telemetry

/// The Amazon Pay simulator on a loop of its own: it lives on while servers are killed.
package final class RunningSimulator: Sendable {
    /// The account it knows.
    package static let merchantID = "A1SALLYPORTTEST"
    /// The account's store.
    package static let storeID = "amzn1.application-oa2-client.0123456789abcdef0123456789abcdef"
    /// The name of the account's key.
    package static let publicKeyID = "SANDBOX-SALLYPORTTESTKEY00000001"

    /// Scheme, host and port.
    package let url: String
    private let loop: EventLoop
    private let server: Server

    /// Starts one on loopback, which answers already.
    ///
    /// - Parameters:
    ///   - isSecure: Whether it speaks TLS with the test authority's certificate.
    ///   - port: 0 for one that the kernel chooses.
    package static func start(isSecure: Bool, port: UInt16, hosts: HostTable) async throws -> RunningSimulator {
        let keys = try TestKeys.get()
        let tls = isSecure ? try TestKeys.tlsContext(keys) : nil
        let merchant = Merchant(
            id: merchantID,
            storeIDs: [storeID],
            publicKeys: [Merchant.PublicKey(id: publicKeyID, pem: keys.merchantPublicKey)],
            allowedDomains: ["localhost"]
        )
        let configuration = SimulatorConfiguration(merchants: [merchant], seed: KernelRandom().bytes(16))
        let address = SocketAddress(v4: 0x7F00_0001, port: port)
        let sending = ClientConfiguration.patient(trusting: keys.authorityPath)
        let loop = try EventLoop(name: "simulator", logger: .silent)
        try loop.start()
        do {
            let server = try await loop.run { reactor in
                try AmazonPaySimulator.attach(
                    configuration,
                    listener: ServerConfiguration.Listener(address, isSecure ? .tls : .clear),
                    tls: tls,
                    reactor: reactor,
                    exchange: RoutedExchange(CurlClient(reactor, configuration: sending), hosts)
                )
            }
            return RunningSimulator(loop, server, isSecure: isSecure)
        } catch {
            loop.stop()
            loop.join()
            throw error
        }
    }

    private init(_ loop: EventLoop, _ server: Server, isSecure: Bool) {
        self.loop = loop
        self.server = server
        let port = server.boundAddresses.first?.port ?? 0
        url = isSecure ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)"
    }

    /// Host and port, as the settings name hosts to send buyers to.
    package var authority: String { String(url.drop { $0 != "/" }.dropFirst(2)) }

    /// Lets what is under way come to its end, and refuses connections afterwards.
    package func stop() async {
        await server.drain()
        end()
    }

    /// Ends it at once, whatever is in flight.
    func end() {
        loop.stop()
        loop.join()
    }
}

/// Leads requests of the simulator to where the hosts of the shop are in truth, as the tests' browsers do, and waits
/// for the answers: the simulator would repeat a message that is answered late an hour later by its clock.
private final class RoutedExchange: HTTPExchange {
    private let next: any HTTPExchange
    private let hosts: HostTable

    init(_ next: any HTTPExchange, _ hosts: HostTable) {
        self.next = next
        self.hosts = hosts
    }

    func send(_ request: OutboundRequest) async throws(HTTPExchangeError) -> InboundResponse {
        var request = request.patient
        let truth = hosts.truth(of: URLParts(request.url, base: ""))
        request.url = truth.url
        request.fields.append(("host", truth.host))
        return try await next.send(request)
    }
}

extension TestKeys {
    /// The certificate of every test server, ready for use.
    static func tlsContext(_ keys: TestKeys) throws -> TLSContext {
        try TLSContext(
            certificatePEM: try Files.read(keys.certificatePath),
            keyPEM: Secret(try Files.read(keys.keyPath)),
            alpn: ServerConfiguration.protocolNames(withHTTP2: false)
        )
    }
}
