import Cryptography
import EventIO
import HTTPClient
import HTTPServer
import Primitives
import Simulators
import Telemetry

/// The Amazon Pay simulator on a loop of its own, over plain HTTP: it lives on while servers are killed.
package final class LoopSimulator: Sendable {
    /// Where it is, without a slash at the end.
    package let url: String
    /// Host and port of `url`.
    package var authority: String { String(url.dropFirst("http://".count)) }
    private let loop: EventLoop
    private let server: Server

    /// The merchant's key pair, made once for all tests of the process.
    private static let keys = Result { () throws(CryptographyError) in try RSAPrivateKey.generatePEM() }

    static let merchantID = "A1RACE00000001"
    static let storeID = "amzn1.application-oa2-client.00000000000000000000000000000077"
    static let publicKeyID = "SANDBOX-RACEKEY0000000000000001"

    /// A simulator that listens.
    ///
    /// - Throws: `IOError`, `SimulatorError`, `ServerError`, `CryptographyError`.
    package init() async throws {
        let loop = try EventLoop(name: "simulator", logger: .silent)
        try loop.start()
        let pem = String(decoding: try LoopSimulator.keys.get().publicKey, as: UTF8.self)
        let merchant = Merchant(
            id: LoopSimulator.merchantID,
            storeIDs: [LoopSimulator.storeID],
            publicKeys: [Merchant.PublicKey(id: LoopSimulator.publicKeyID, pem: pem)],
            allowedDomains: ["localhost"]
        )
        let configuration = SimulatorConfiguration(merchants: [merchant], seed: KernelRandom().bytes(16))
        do {
            server = try await loop.run { reactor in
                try AmazonPaySimulator.attach(
                    configuration,
                    listener: .init(SocketAddress(v4: 0x7F00_0001, port: 0), .clear),
                    reactor: reactor,
                    exchange: CurlClient(reactor)
                )
            }
        } catch {
            loop.stop()
            loop.join()
            throw error
        }
        self.loop = loop
        guard let address = server.boundAddresses.first else { throw ProgramFailure("the simulator is nowhere") }
        url = "http://\(address)"
    }

    /// Ends it at once, whatever is in flight.
    package func stop() {
        loop.stop()
        loop.join()
    }

    /// Settings that make a server use this simulator.
    ///
    /// - Parameter folder: Takes the merchant's private key.
    /// - Returns: Environment variables.
    /// - Throws: `IOError`, `CryptographyError`.
    package func settings(in folder: String) throws -> [String: String] {
        let path = folder + "/merchant.key"
        try Files.write(path, try LoopSimulator.keys.get().privateKey.reveal(), mode: 0o600)
        return [
            "SALLYPORT_PROVIDER_MERCHANT_ID": LoopSimulator.merchantID,
            "SALLYPORT_PROVIDER_STORE_ID": LoopSimulator.storeID,
            "SALLYPORT_PROVIDER_PUBLIC_KEY_ID": LoopSimulator.publicKeyID,
            "SALLYPORT_PROVIDER_PRIVATE_KEY": path,
            "SALLYPORT_PROVIDER_API_URL": url,
            "SALLYPORT_PROVIDER_SCRIPT_URL": url + "/checkout.js",
            "SALLYPORT_PROVIDER_START_URL": url + "/checkout/start",
            "SALLYPORT_PROVIDER_REDIRECT_HOSTS": authority,
            "SALLYPORT_PROVIDER_CSP_HOSTS": url, "SALLYPORT_SIMULATOR_QUOTA": "none",
        ]
    }
}
