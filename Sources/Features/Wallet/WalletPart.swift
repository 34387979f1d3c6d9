import Accounts
import Cryptography
import EventIO
import HTTPCore
package import Operations
package import Operators
import Pages
import Postgres
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import Telemetry
package import Web

/// Passes on one loop.
package final class WalletPart: OperatorPagePart {
    let loop: LoopContext
    let process: WalletProcess
    let secrets: PassSecrets
    let limits: WalletLimits
    let passBlock: FieldBlock
    let linkBlock: FieldBlock
    let bundleBlock: FieldBlock
    let pageBlock: FieldBlock
    /// What surrounds the page of a link.
    let frames: EachLanguage<Frame>
    let notModified: Counter
    /// `nil` where the shop's staff has no pages.
    package let access: OperatorAccess?
    /// What passes tell phones to ask.
    let webServiceURL: String

    private static let phoneHost = SiteName("wallet")
    private static let bundleType = HTTPField(.contentType, constant: "application/vnd.apple.pkpasses")
    private static let passType = HTTPField(.contentType, constant: "application/vnd.apple.pkpass")

    init(_ process: WalletProcess, _ loop: LoopContext) throws {
        self.loop = loop
        self.process = process
        limits = process.limits
        access = loop.offered(OperatorAccess.self)
        webServiceURL = process.settings.webServiceURL(process.web)
        do throws(CryptographyError) {
            secrets = try PassSecrets(process.keyring)
        } catch {
            throw FeatureError(description: "wallet: \(error.detail)")
        }
        notModified = loop.metrics.counter(
            "sallyport_wallet_passes_known_total",
            help: "Requests for a pass whose phone has its newest version."
        )
        passBlock = loop.headers.block([
            WalletPart.passType, HTTPField(.cacheControl, constant: "private, no-cache"), HeaderPolicy.noReferrer,
            HeaderPolicy.empty,
        ])
        // Neither is kept, and which of them it is depends on who asks.
        let link = [
            HTTPField(.cacheControl, constant: "private, no-store"), HTTPField(.vary, constant: "Accept, User-Agent"),
            HeaderPolicy.noReferrer, HeaderPolicy.noRobots,
        ]
        linkBlock = loop.headers.block([WalletPart.passType, HeaderPolicy.empty], link)
        bundleBlock = loop.headers.block([WalletPart.bundleType, HeaderPolicy.empty], link)
        pageBlock = loop.headers.block([HeaderPolicy.freshPage[0]], link, HeaderPolicy.isolated)
        frames = try loop.demanded(EachLanguage<Frame>.self)
        try loop.part(ServiceFeature.self).serve(self, WalletPart.rules)
    }

    var files: PassFiles { process.files }

    /// What phones, buyers and the shop's staff ask for, as it is without settings.
    package static let routes = [phoneRoutes(on: .web, below: "/wallet"), linkRoutes, consoleRoutes]

    package var sites: [Site] {
        guard let host = process.settings.host else { return [] }
        return [
            Site(
                WalletPart.phoneHost,
                host: Array(host.authority.utf8),
                fallback: .phone,
                formats: [.phone: PhoneFailures(loop.headers, loop.refusals)],
                headFields: loop.headers.plain
            )
        ]
    }

    package func mount(_ routes: inout Routes) throws(RouteError) {
        if process.settings.host == nil {
            try routes.use(PhoneFailures(loop.headers, loop.refusals), as: .phone, on: .web)
            let path = process.settings.path
            try routes.mount(WalletPart.phoneRoutes(on: .web, below: path), on: self)
            // A phone that doubles the slash between the address it was given and what it appends.
            if !path.isEmpty { try routes.mount(WalletPart.phoneRoutes(on: .web, below: path + "/"), on: self) }
        } else {
            try routes.mount(WalletPart.phoneRoutes(on: WalletPart.phoneHost, below: ""), on: self)
        }
        try routes.mount(WalletPart.linkRoutes, on: self)
        if access != nil { try routes.mount(WalletPart.consoleRoutes, on: self) }
    }

    package func schedule(_ jobs: JobSchedule) {
        let (process, database) = (process, loop.database)
        jobs.every(.seconds(1), budget: .seconds(10), "wallet.fetched") { _ in
            while let fetches = process.recorder.take() {
                _ = try await database.work(UpkeepStatement.fetched(fetches))
            }
        }
        jobs.every(.seconds(5), budget: .seconds(60), "wallet.templates") { [self] budget in
            try await process.note(database)
            try await walk(within: budget)
        }
        jobs.every(.seconds(600), budget: .seconds(30), "wallet.certificates") { _ in
            try await process.certificateEnds.tell(of: process.files.current, at: SystemClock().now(), database)
        }
        jobs.upkeep?.add { [self] in await prune() }
        let sender = PushSender(process.pushes, loop)
        jobs.keep({ await sender.run() }, stop: { await sender.stop() })
        jobs.every(PushSender.countPause, budget: .seconds(10), "wallet.pushes") { _ in await sender.count() }
    }

    /// Has the sender look at once, behind a commit that has made something due.
    func wake() { process.pushes.wake() }
}
