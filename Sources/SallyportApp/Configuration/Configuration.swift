import AmazonPay
import EventIO
import MerchantOrders
import Primitives
import SessionBroker
import Telemetry

/// Everything the program was told, read once at the start, checked in full, and never changed afterwards.
package struct Configuration: Sendable {
    /// Where the program listens and under which names.
    struct Listeners: Sendable {
        let tls: SocketAddress?
        let clear: SocketAddress?
        let redirect: SocketAddress?
        let admin: SocketAddress?
        /// Empty where the administration listener asks for no token.
        let adminTokenPath: String
        let simulator: SocketAddress?
        let web: WebOrigin
        let link: WebOrigin
        let certificatePath: String
        let keyPath: String
        /// Of a certificate of another kind; both paths are empty where there is none.
        let secondCertificatePath: String
        let secondKeyPath: String
        /// Empty where each process makes its own ticket keys.
        let ticketSecretPath: String
        let trustedProxies: [String]
        let loops: Int
    }

    /// Where data and files are.
    struct Storage: Sendable {
        /// A libpq URI as it is set, perhaps without its password; `nil` for a private cluster in the data directory.
        let databaseURL: Secret<String>?
        /// Whether a database on another machine is believed without TLS that verifies it.
        let allowsPlaintext: Bool
        /// Empty where the URI says everything.
        let databasePasswordPath: String
        let dataDirectory: String
        /// Where the private cluster is; in the data directory unless that is closed to the user it runs as.
        let clusterDirectory: String
        let migrationsDirectory: String
        let publicDirectory: String
        /// How long orders are kept behind their month.
        let orderRetention: Duration
    }

    /// Bounds on what one connection may ask for.
    struct Limits: Sendable {
        let connections: Int
        let connectionsPerAddress: Int
        let requestsPerConnection: Int
        let headerBytes: Int
        let headerFields: Int
        let bodyBytes: Int
        /// Content of all requests together.
        let contentBytes: Int
        let headerDeadline: Duration
        let bodyDeadline: Duration
        let handshakeDeadline: Duration
        let writeDeadline: Duration
        let idle: Duration
        let drain: Duration
        let queue: Int
        let queueWait: Duration
        let queueDeadline: Duration
    }

    /// What is offered and allowed to clients that speak HTTP/2.
    struct HTTP2: Sendable {
        let isOffered: Bool
        let isAcceptedInClear: Bool
        let streams: Int
        let streamWindow: Int
        let connectionWindow: Int
        let controlBurst: Int
        let controlRate: Int
        let responseDeadline: Duration
    }

    /// The account at Amazon Pay and where Amazon is.
    struct Provider: Sendable {
        let region: String
        let merchantID: String
        let storeID: String
        let storeName: String
        let publicKeyID: String
        let privateKeyPath: String
        let algorithm: String
        let apiURL: String
        let scriptURL: String
        let startURL: String
        let redirectHosts: [String]
        let policyHosts: [String]
        /// Of the shop's own orders.
        let captureMode: CaptureMode
        let authorityPath: String
        /// Whose limits a simulator has.
        let simulatorQuota: QuotaTable
        /// Limits of the account that are set, in place of the documented ones.
        let quotas: [AmazonPayOperation: CallRate]
        let quotaProcesses: Int
        /// Whether the database may hold orders of another account or environment.
        let allowsAccountChange: Bool
    }

    /// The interface for merchants' programs.
    struct Merchant: Sendable {
        let isServed: Bool
        let requestsPerMinute: Int
        /// What orders may be.
        let policy: OrderPolicy
        /// Numbers of the keys that questions for the postage are signed with: one, or two while they change.
        let postageKeys: [Int]
    }

    /// How merchants are told of events.
    struct Webhooks: Sendable {
        /// What the keys of endpoints are sealed under; empty where there are none.
        let secretPath: String
        let tries: Int
        let timeout: Duration
        let concurrency: Int
        let allowsLoopback: Bool
        let authorityPath: String
    }

    let listeners: Listeners
    let storage: Storage
    /// The rules of a flow, with what the profile leaves open filled in.
    let policy: BrokerPolicy
    /// Whether the rules may take the place of those that programs of the database work under.
    let allowsPolicyChange: Bool
    let limits: Limits
    let http2: HTTP2
    let provider: Provider
    let shop: Shop
    let merchant: Merchant
    let notifications: Notifications
    /// Pause between two looks at what is to be asked of the provider; `nil` for never.
    let pollRound: Duration?
    let apps: AppSettings
    let webhooks: Webhooks
    let logLevel: LogLevel
    /// `nil` for text at a terminal, JSON elsewhere.
    let logFormat: LogFormat?
    let includesSubdomains: Bool
    let enforcesScriptPolicy: Bool
    /// For reports of weaknesses; `nil` where none is published.
    let securityContact: SecurityContact?
    /// Name and text of every setting, secrets hidden, in the order of the table.
    package let printed: [(name: String, value: String)]
}
