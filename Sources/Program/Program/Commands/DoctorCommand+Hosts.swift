import EventIO
import HTTPClient
import Operations
import Postgres
import ServerCore
import Settings
import Telemetry
import Web

extension DoctorCommand {
    /// What the hosts answer, and what the features find over the network.
    ///
    /// - Throws: `IOError` where no loop can be made.
    static func probe(_ examination: SettingExamination, _ source: SettingSource) async throws -> [Finding] {
        let settings = examination.settings
        let database = databaseLink(source)
        let authority = developmentAuthority(settings) ?? ""
        return try await withEventLoop { reactor in
            let client = database.map { PostgresClient(reactor: reactor, configuration: $0, logger: .silent) }
            client?.start()
            defer { client?.close() }
            let hosts = CurlClient(reactor, configuration: trust(authority))
            let probe = HostProbe(
                exchange: hosts,
                certificate: { url in await hosts.certificate(at: url) },
                clock: reactor.clock
            )
            let link = await probe.check(settings.link)
            let web = await probe.check(settings.web)
            let context = ProbeContext(
                reactor,
                database: client,
                settings,
                headers: HeaderPolicy(includesSubdomains: settings.text("hsts.include_subdomains") != "false"),
                web: web.host,
                link: link.host,
                hosts: hosts,
                exchange: { CurlClient(reactor, configuration: trust($0)) }
            )
            // The features look at the link host first, too: findings of one check stand in this order.
            var found = LibraryChecks.findings() + link.findings
            found += await examination.features.probe(context)
            found += web.findings
            if let web = web.host { found += await probe.unknownHost(at: web) }
            return found
        }
    }

    /// The database that the settings name; `nil` for a private cluster, and where something is wrong with any of them.
    private static func databaseLink(_ source: SettingSource) -> PostgresConfiguration? {
        do {
            let configuration = try Configuration(source)
            return try configuration.databaseURL().map(configuration.database(at:))
        } catch {
            // Reported by the checks without a network.
            return nil
        }
    }

    private static func trust(_ authority: String) -> ClientConfiguration {
        var configuration = ClientConfiguration()
        if !authority.isEmpty { configuration.trust = .file(path: authority) }
        return configuration
    }

    /// The authority that made the certificate of a program on loopback, where there is one.
    private static func developmentAuthority(_ settings: ExaminedSettings) -> String? {
        let path = DevelopmentKeys(in: settings.text("data_dir")).authorityPath
        let isLoopback = WebOrigin(settings.text("web.base_url"))?.isLoopback == true
        return isLoopback && Files.exists(path) ? path : nil
    }
}
