package import AmazonPay
import EventIO
import HTTPClient
import Primitives
package import ServerCore
import SessionBroker
package import Settings

/// The account at the provider and the shop's own addresses, read and checked at the start.
package struct ProviderSetup: Sendable {
    package let credentials: Credentials
    let endpoint: AmazonPayEndpoint
    let redirects: RedirectPolicy
    let storeName: String
    /// Where the provider sends a buyer for review; fixed, so that it can be registered and signed.
    let reviewURL: String
    /// Where it sends a buyer who gave up.
    let cancelURL: String
    /// Where it sends a buyer after its last page.
    let resultURL: String
    /// PEM file with the authority of a simulator; empty for the machine's own.
    let authorityPath: String
    /// Time for one completion; reading the session afterwards takes up to five seconds more.
    let completeLimit: Duration
    /// What the button needs for key ids without a prefix; `nil` for those with one.
    let isSandboxNamed: Bool?

    /// How often this process may call the API.
    package let quota: CallQuota.Limits

    /// Reads key and settings.
    ///
    /// - Parameters:
    ///   - checkout: Says besides how long one purchase call owns a webview session: the completion has to end before that is
    ///     over.
    /// - Throws: Every problem of the account at once.
    package init(_ checkout: CheckoutSettings, web: WebOrigin) throws(ConfigurationError) {
        let settings = checkout.provider
        let missing = settings.missing.map { "\($0): must be set" }
        guard missing.isEmpty else {
            throw ConfigurationError(problems: missing + ProviderSetup.problems(settings, web))
        }
        do throws(AmazonPayConfigurationError) {
            var account = CredentialSettings()
            account.merchantID = settings.merchantID
            account.storeID = settings.storeID
            account.publicKeyID = settings.publicKeyID
            let key = try ProviderSetup.readSecret(settings.privateKeyPath, "provider.private_key")
            account.privateKeyPEM = Secret(key)
            account.algorithm = settings.algorithm
            account.region = settings.region
            credentials = try Credentials(account)
            endpoint =
                settings.apiURL.isEmpty
                ? AmazonPayEndpoint(credentials.region)
                : try AmazonPayEndpoint(simulator: settings.apiURL, for: credentials)
            let hosts = settings.redirectHosts.isEmpty ? credentials.region.hostedPageHosts : settings.redirectHosts
            redirects = try RedirectPolicy(hosts: hosts, allowsLoopbackHTTP: endpoint.isSimulator)
            authorityPath = settings.authorityPath
            if !authorityPath.isEmpty { _ = try ProviderSetup.read(authorityPath, "provider.ca_file") }
        } catch {
            let others = ProviderSetup.problems(settings, web)
            throw ConfigurationError(problems: error.problems.map { "provider: \($0)" } + others)
        }
        let problems = ProviderSetup.problems(settings, web)
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        storeName = settings.storeName
        reviewURL = web.text + Path.review
        cancelURL = web.text + Path.cancel
        resultURL = web.text + Path.result
        completeLimit = checkout.policy.times.lease - .seconds(10)
        let real = credentials.environment == .live ? QuotaTable.live : .sandbox
        var limits = CallQuota.Limits(endpoint.isSimulator ? settings.simulatorQuota : real)
        limits.rates = settings.quotas
        limits.processes = settings.quotaProcesses
        quota = limits
        isSandboxNamed = credentials.publicKeyID.environment == nil ? credentials.environment == .sandbox : nil
    }

    /// Where the provider sends a buyer back to, as paths on the web host.
    static let returnPaths = [Path.review, Path.cancel, Path.result]

    /// Where the provider sends a buyer back to.
    private enum Path {
        static let review = "/confirm_order"
        static let cancel = "/checkout_cancel"
        static let result = "/checkout_result"
    }

    /// What the provider would refuse of the shop's own texts, which otherwise the first buyer would find out.
    private static func problems(_ settings: ProviderSettings, _ web: WebOrigin) -> [String] {
        let metadata = MerchantMetadata(merchantStoreName: settings.storeName)
        let addresses = returnPaths.map { web.text + $0 }
        return metadata.problems.map { "provider.store_name: \($0)" }
            + addresses.compactMap(ReturnAddress.problem).map { "web.base_url: \($0)" }
    }

    /// How the provider is called.
    var outbound: OutboundPurpose {
        var outbound = ClientConfiguration()
        if !authorityPath.isEmpty { outbound.trust = .file(path: authorityPath) }
        return OutboundPurpose("amazon_pay", outbound)
    }

    private static func readSecret(_ path: String, _ setting: String) throws(AmazonPayConfigurationError) -> [UInt8] {
        do throws(ConfigurationError) {
            return try SecretFile.read(path, setting)
        } catch {
            throw AmazonPayConfigurationError(problems: error.problems)
        }
    }

    private static func read(_ path: String, _ setting: String) throws(AmazonPayConfigurationError) -> [UInt8] {
        do throws(IOError) {
            return try Files.read(path, limit: 65_536)
        } catch {
            throw AmazonPayConfigurationError(problems: ["\(setting): \(path) cannot be read: \(error.sentence)"])
        }
    }
}
