import EventIO
import HTTPClient
import HTTPServer
import Primitives
import Simulators
import TLS
import Telemetry

/// The Amazon Pay simulator on a loop of its own.
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
    /// Where what it pushes goes.
    let route: RoutedExchange.Route

    /// Starts one.
    ///
    /// - Parameters:
    ///   - isSecure: Whether it speaks TLS with the test authority's certificate.
    ///   - port: Of loopback; 0 for one that the kernel chooses.
    /// - Returns: A simulator that answers already.
    /// - Throws: `IOError`, `ServerError` or `TLSError`.
    package static func start(isSecure: Bool = false, port: UInt16 = 0) async throws -> RunningSimulator {
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
        var sending = ClientConfiguration.patient
        sending.trust = .file(path: keys.authorityPath)
        let trusting = sending
        let route = RoutedExchange.Route()
        let loop = try EventLoop(name: "simulator", logger: .silent)
        try loop.start()
        do {
            let server = try await loop.run { reactor in
                try AmazonPaySimulator.attach(
                    configuration,
                    listener: ServerConfiguration.Listener(address, isSecure ? .tls : .clear),
                    tls: tls,
                    reactor: reactor,
                    exchange: RoutedExchange(CurlClient(reactor, configuration: trusting), route: route)
                )
            }
            return RunningSimulator(loop, server, route, isSecure: isSecure)
        } catch {
            loop.stop()
            loop.join()
            throw error
        }
    }

    private init(_ loop: EventLoop, _ server: Server, _ route: RoutedExchange.Route, isSecure: Bool) {
        self.route = route
        self.loop = loop
        self.server = server
        let port = server.boundAddresses.first?.port ?? 0
        url = isSecure ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)"
    }

    /// Host and port, as the settings name hosts to send buyers to.
    package var authority: String { String(url.drop { $0 != "/" }.dropFirst(2)) }

    /// Ends it: connections are refused afterwards.
    package func stop() async {
        await server.drain()
        loop.stop()
        loop.join()
    }
}

extension TestKeys {
    /// The certificate of every test server, ready for use.
    static func tlsContext(_ keys: TestKeys) throws -> TLSContext {
        try TLSContext(
            certificatePEM: try Files.read(keys.certificatePath),
            keyPEM: Secret(try Files.read(keys.keyPath)),
            alpn: ["http/1.1"]
        )
    }
}
