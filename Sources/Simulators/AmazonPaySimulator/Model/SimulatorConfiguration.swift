package import Cryptography
package import EventIO
package import HTTPServer
import Primitives
import SimulatorCore

/// How a simulator is set up.
package struct SimulatorConfiguration: Sendable {
    /// Scheme, host and port under which browsers and the merchant reach it, without a slash at the end; empty where that
    /// is what it listens on.
    package var baseURL: String
    /// The accounts.
    package var merchants: [Merchant]
    /// The people who can sign in; the first is offered first.
    package var buyers = TestBuyer.standard
    /// How it starts, and where a reset brings it back to.
    package var switches = SimulatorSwitches()
    /// Makes ids: any bytes.
    ///
    /// The same seed and the same requests make the same ids; draw it by chance unless a run shall be repeatable.
    package var seed: [UInt8]
    /// How far the date of a request may be ahead of the clock.
    package var dateAhead: Duration = .seconds(60)
    /// How far the date of a request may be behind the clock.
    package var dateBehind: Duration = .seconds(15 * 60)

    /// What signs the certificates of notifications, so that receivers can trust it before the simulator runs; `nil` for a new
    /// one.
    package var senderRoot: DevelopmentAuthority?

    /// Checkout sessions that are remembered, with what came of them; the oldest goes first.
    package var sessionCapacity = 50_000
    /// Whether it may listen where other machines can reach it.
    ///
    /// Its pages know no real password, so by default it may not.
    package var insecureAllowsOthers = false
    /// Networks of other machines that may use the control interface.
    package var testers: [NetworkPrefix] = []

    /// The given set-up with the standard buyers and strict signatures.
    ///
    /// - Parameters:
    ///   - baseURL: For example `https://localhost:9443`; empty where that is what it listens on.
    ///   - merchants: One or more.
    ///   - seed: Any bytes.
    package init(baseURL: String = "", merchants: [Merchant], seed: [UInt8]) {
        self.baseURL = baseURL
        self.merchants = merchants
        self.seed = seed
    }

    /// What is wrong with the set-up, in sentences for an operator.
    ///
    /// - Returns: Empty where all is well.
    package func problems(listeningOn address: SocketAddress) -> [String] {
        var problems: [String] = []
        if !address.isLocal, !insecureAllowsOthers {
            problems.append("the simulator listens on loopback only; \(address) would let other machines in")
        }
        if !baseURL.isEmpty, WebURL(baseURL)?.origin != baseURL {
            problems.append("baseURL is scheme, host and port: \(baseURL)")
        }
        if merchants.isEmpty { problems.append("no merchant is registered") }
        if buyers.isEmpty { problems.append("no buyer is registered") }
        for merchant in merchants {
            if Currency(rawValue: merchant.ledgerCurrency) == nil {
                problems.append("merchant \(merchant.id): unknown currency \(merchant.ledgerCurrency)")
            }
            if merchant.storeIDs.isEmpty { problems.append("merchant \(merchant.id) has no store") }
            for key in merchant.publicKeys where (try? RSAPublicKey(pem: Array(key.pem.utf8))) == nil {
                problems.append("merchant \(merchant.id): \(key.id) is not an RSA public key of 2048 bits or more")
            }
            if let target = merchant.notifications, WebURL(target.url)?.isTrustworthy != true {
                problems.append("merchant \(merchant.id): notifications go to https, or to this machine: \(target.url)")
            }
            if merchant.publicKeys.isEmpty { problems.append("merchant \(merchant.id) has no public key") }
        }
        let keyIDs = merchants.flatMap { $0.publicKeys.map(\.id) }
        if Set(keyIDs).count != keyIDs.count { problems.append("a public key id is registered twice") }
        if Set(merchants.map(\.id)).count != merchants.count { problems.append("a merchant id is registered twice") }
        return problems
    }
}
