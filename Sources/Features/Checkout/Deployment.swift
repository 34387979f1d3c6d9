import AmazonPay
import Commerce
import Cryptography
import EventIO
import HTTPCore
import MerchantAPI
import MerchantOrders
import Pages
import ServerCore
package import SessionBroker
import Settings
package import Web

/// Everything that the settings decide and that never changes while the program runs; one for all loops.
///
/// An object, because every request looks into it: a value of this size is copied at a look, with a reference counted for each
/// of its parts.
package final class Deployment: Sendable {
    package let policy: BrokerPolicy
    /// The shop that the program runs itself.
    let shop: OwnShop
    /// What its orders agree on.
    let ownTerms: OrderTerms
    package let headers: HeaderPolicy
    /// Fields of answers that only the checkout has.
    let shopHeaders: ShopHeaders
    let cookieTable: CookieTable
    let cookies: CookieWriter
    let pages: EachLanguage<CheckoutPages>
    /// The shop's frame, for pages of other features.
    let frames: EachLanguage<Frame>
    /// The fields with the policy of pages that load the provider's script: enforced, or reported beside one that is enforced.
    let providerPolicies: [FieldPattern]
    /// The web host as it stands in a Host field, lower case.
    let webHost: [UInt8]
    /// The link host as it stands in a Host field, lower case.
    let linkHost: [UInt8]
    /// The web origin as it stands in an Origin field.
    package let webOrigin: String
    /// The link origin, for return links.
    let linkOrigin: String
    /// Where a plain form can start a checkout; simulators have that.
    let startAction: LinkTarget?
    let appleAssociation: FixedAnswer
    let androidAssociation: FixedAnswer
    let developmentAuthority: FixedAnswer
    /// Whether the program is run to be looked at.
    let isDemo: Bool

    /// Makes every answer that can be made ahead.
    ///
    /// - Parameters:
    ///   - settings: Checked.
    /// - Throws: Every problem at once.
    init(
        _ settings: CheckoutSettings,
        provider: ProviderSetup,
        _ process: ProcessContext
    ) throws(ConfigurationError) {
        let headers = process.headers
        isDemo = process.mode == .demo
        self.headers = headers
        let shopHeaders = ShopHeaders(headers)
        self.shopHeaders = shopHeaders
        policy = try settings.markingPolicy()
        shop = OwnShop(.sample, sentBy: .sample, settings.provider.captureMode)
        ownTerms = OrderTerms(shop)
        cookieTable = CookieTable(settings.policy.cookieNames)
        cookies = CookieWriter(names: cookieTable, times: settings.policy.times)
        webHost = Array(process.web.authority.utf8)
        linkHost = Array(process.link.authority.utf8)
        webOrigin = process.web.text
        linkOrigin = process.link.text
        startAction = LinkTarget(settings.provider.startURL)
        let site = try Deployment.site(settings, provider, process, shop.catalogue)
        let frames = EachLanguage { CheckoutFrame($0, site, process.assets) }
        pages = EachLanguage { CheckoutPages(frames[$0]) }
        self.frames = EachLanguage { frames[$0].shell }
        let hosts = try Deployment.hosts(settings.provider, provider)
        providerPolicies = try Deployment.fields(hosts, isEnforced: settings.enforcesScriptPolicy)
        let absent = FixedAnswer(absent: HTTPResponse(.notFound, block: headers.json))
        let associations = try Associations(settings)
        appleAssociation = associations.apple.map { FixedAnswer($0, block: shopHeaders.association) } ?? absent
        androidAssociation = associations.android.map { FixedAnswer($0, block: shopHeaders.association) } ?? absent
        developmentAuthority =
            process.developmentAuthority.map { pem in
                let type = HTTPField(.contentType, constant: "application/x-x509-ca-cert")
                return FixedAnswer(pem, block: headers.plain.adding([type]))
            } ?? absent
    }
}

// MARK: - Parts

extension Deployment {
    private static func fields(
        _ hosts: ProviderHosts,
        isEnforced: Bool
    ) throws(ConfigurationError) -> [FieldPattern] {
        let policy = ProviderPolicy(hosts: hosts, reportGroup: "csp").policy
        let fields =
            isEnforced
            ? [field(.contentSecurityPolicy, policy)]
            : [
                field(.contentSecurityPolicy, ProviderPolicy(hosts: .none).policy),
                field(.contentSecurityPolicyReportOnly, policy),
            ]
        guard fields.allSatisfy({ $0 != nil }) else {
            throw ConfigurationError(problems: ["provider.csp_hosts: no policy can be made of them"])
        }
        return fields.compactMap { $0 }
    }

    private static func field(_ name: HTTPFieldName, _ policy: NoncePolicy) -> FieldPattern? {
        FieldPattern(name, before: policy.beforeNonce, after: policy.afterNonce)
    }

    private static func site(
        _ settings: CheckoutSettings,
        _ provider: ProviderSetup,
        _ process: ProcessContext,
        _ catalogue: Catalogue
    ) throws(ConfigurationError) -> PageSite {
        let script =
            settings.provider.scriptURL.isEmpty
            ? provider.credentials.region.scriptURL : settings.provider.scriptURL
        guard let target = LinkTarget(script), let rescue = LinkTarget(process.web.text + "/rescue")
        else {
            throw ConfigurationError(problems: ["provider.script_url: not an address"])
        }
        return PageSite(
            shopName: process.shopName ?? provider.storeName,
            catalogue: catalogue,
            checkoutScript: target,
            rescue: rescue,
            terms: settings.shop.terms,
            stores: AppStores(
                apple: settings.apps.ios.lazy.compactMap(\.store).first,
                google: settings.apps.android.lazy.compactMap(\.store).first
            ),
            isDemonstration: provider.endpoint.isSimulator,
            usesVerifier: settings.policy.verifier == .required
        )
    }

    /// The hosts that the provider's script needs.
    ///
    /// Those of the region are what its widgets were seen to load.
    private static func hosts(
        _ settings: ProviderSettings,
        _ provider: ProviderSetup
    ) throws(ConfigurationError) -> ProviderHosts {
        let region = provider.credentials.region
        let named = settings.policyHosts.isEmpty ? [region.scriptOrigin] : settings.policyHosts
        let pages = settings.redirectHosts.isEmpty ? region.hostedPageHosts : settings.redirectHosts
        var sources: [ProviderHosts.Source] = []
        for text in named + pages.map({ "https://" + $0 }) {
            guard let source = ProviderHosts.Source(text) else {
                throw ConfigurationError(problems: ["provider.csp_hosts: \(text) is no origin"])
            }
            if !sources.contains(source) { sources.append(source) }
        }
        let scripts = Array(sources.prefix(named.count))
        return ProviderHosts(scripts: scripts, styles: scripts, images: scripts, pages: sources)
    }
}
