import AmazonPay
import EventIO
import MerchantOrders
import Postgres
import Primitives
import SessionBroker
package import Settings
import Telemetry

extension Configuration {
    /// Reads and checks a configuration.
    ///
    /// - Parameter source: The texts.
    /// - Throws: Every problem at once.
    package init(_ source: SettingSource) throws(ConfigurationError) {
        try self.init(source, for: .everything)
    }

    /// Reads a configuration and checks the part of it that somebody goes by.
    ///
    /// - Parameters:
    ///   - source: The texts.
    ///   - scope: The part; what is wrong outside of it stands at some allowed value.
    /// - Throws: Every problem of the part at once.
    init(_ source: SettingSource, for scope: SettingScope) throws(ConfigurationError) {
        var reader = SettingReader(source)
        listeners = Listeners(&reader)
        storage = Storage(&reader)
        policy = BrokerPolicy(&reader)
        allowsPolicyChange = reader.flag("session.allow_policy_change")
        limits = Limits(&reader)
        http2 = HTTP2(&reader)
        if limits.bodyBytes > http2.connectionWindow {
            reader.complain(
                "http2.connection_window",
                "less than limits.body_bytes: such a body would never come whole"
            )
        }
        provider = Provider(&reader)
        shop = Shop(&reader)
        webhooks = Webhooks(&reader)
        merchant = Merchant(&reader, webhooks: webhooks)
        notifications = Notifications(&reader, provider: provider)
        let round = reader.duration("reconciliation.round")
        pollRound = round > .zero ? round : nil
        apps = AppSettings(&reader)
        logLevel = LogLevel(name: reader.choice("log_level")) ?? .info
        let formats: [String: LogFormat] = ["json": .json, "text": .text]
        logFormat = formats[reader.choice("log.format")]
        includesSubdomains = reader.flag("hsts.include_subdomains")
        enforcesScriptPolicy = reader.choice("csp.p2") == "enforce"
        // Looked at before anything is read: here it is only checked.
        _ = reader.flag(SettingTable.coreDumps.name)
        let contact = reader.text("security.contact")
        securityContact = SecurityContact(contact)
        if !contact.isEmpty, securityContact == nil {
            reader.complain("security.contact", "neither an https address nor mailto: with one address")
        }
        let effective = reader.effective
        printed = SettingTable.all.map { setting in
            let value = effective[setting.name] ?? ""
            return (setting.name, setting.isSecret && !value.isEmpty ? "<secret>" : value)
        }
        Configuration.checkTogether(listeners, policy, &reader)
        let problems = reader.problems(of: scope)
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }

    /// The rules that no single setting can break.
    private static func checkTogether(
        _ listeners: Listeners,
        _ policy: BrokerPolicy,
        _ reader: inout SettingReader
    ) {
        if reader.areSound("web.base_url", "link.base_url"), listeners.web.authority == listeners.link.authority {
            reader.complain(
                "link.base_url",
                "the same host as web.base_url; a link on the page's own host never opens the app"
            )
        }
        for (name, origin) in [("web.base_url", listeners.web), ("link.base_url", listeners.link)]
        where reader.areSound(name) && origin.scheme != "https" && !origin.isLoopback {
            reader.complain(name, "not https, and not a loopback name")
        }
        if let clear = listeners.clear, !clear.isLocal, listeners.trustedProxies.isEmpty {
            reader.complain("clear_listen", "not a loopback address, and trusted_proxies names nobody")
        }
        if let admin = listeners.admin, !admin.isLocal, listeners.adminTokenPath.isEmpty {
            reader.complain(
                "admin_listen",
                "not a loopback address, and everybody there could read /metrics: name a file with a token in admin.token_file"
            )
        }
        if listeners.trustedProxies.contains(where: { $0 == "*" || $0.hasSuffix("/0") }) {
            reader.complain("trusted_proxies", "a wildcard would believe everybody")
        }
        if listeners.tls == nil, listeners.clear == nil, reader.areSound("listen", "clear_listen") {
            reader.complain("listen", "empty, and so is clear_listen: nothing would be served")
        }
        if reader.areSound("session.launch", "session.idle", "session.absolute"),
            policy.times.launch > policy.times.idle || policy.times.idle > policy.times.absolute
        {
            reader.complain("session.idle", "launch, idle and absolute must not decrease in this order")
        }
        let isPlain = listeners.web.scheme != "https" && !listeners.web.isLoopback
        if reader.areSound("web.base_url"), policy.cookieNames == .host, isPlain {
            reader.complain("cookies.names", "__Host- names need https")
        }
    }
}

extension Configuration.Listeners {
    fileprivate init(_ reader: inout SettingReader) {
        tls = reader.address("listen")
        clear = reader.address("clear_listen")
        redirect = reader.address("redirect_listen")
        admin = reader.address("admin_listen")
        adminTokenPath = reader.text("admin.token_file")
        simulator = reader.address("simulator_listen")
        web = reader.origin("web.base_url")
        link = reader.origin("link.base_url")
        certificatePath = reader.text("tls.certificate")
        keyPath = reader.text("tls.key")
        secondCertificatePath = reader.text("tls.second_certificate")
        secondKeyPath = reader.text("tls.second_key")
        ticketSecretPath = reader.text("tls.ticket_secret")
        trustedProxies = reader.list("trusted_proxies")
        loops = reader.number("loops")
    }
}

extension Configuration.Storage {
    fileprivate init(_ reader: inout SettingReader) {
        let url = reader.text("database_url")
        databaseURL = url.isEmpty ? nil : Secret(url)
        allowsPlaintext = reader.flag("database.insecure_plaintext")
        if let databaseURL {
            do throws(PostgresError) {
                _ = try PostgresConfiguration(url: databaseURL, allowsPlaintext: allowsPlaintext)
            } catch {
                let isAllowable = (try? PostgresConfiguration(url: databaseURL, allowsPlaintext: true)) != nil
                let way = error.code == .insecure && isAllowable ? "; database.insecure_plaintext overrules this" : ""
                reader.complain("database_url", error.detail + way)
            }
        }
        databasePasswordPath = reader.text("database.password_file")
        dataDirectory = reader.text("data_dir")
        clusterDirectory = ClusterFolder.path(dataDirectory: dataDirectory)
        migrationsDirectory = reader.folder("migrations_dir", "migrations")
        publicDirectory = reader.folder("public_dir", "public")
        orderRetention = .seconds(reader.number("merchant.retention_days") * 86_400)
    }
}

extension Configuration.Limits {
    fileprivate init(_ reader: inout SettingReader) {
        connections = reader.number("limits.connections")
        connectionsPerAddress = reader.number("limits.connections_per_address")
        requestsPerConnection = reader.number("limits.requests_per_connection")
        headerBytes = reader.number("limits.header_bytes")
        headerFields = reader.number("limits.header_fields")
        bodyBytes = reader.number("limits.body_bytes")
        contentBytes = reader.number("limits.content_bytes")
        headerDeadline = reader.duration("limits.header_deadline")
        bodyDeadline = reader.duration("limits.body_deadline")
        handshakeDeadline = reader.duration("limits.handshake_deadline")
        writeDeadline = reader.duration("limits.write_deadline")
        idle = reader.duration("limits.idle")
        drain = reader.duration("limits.drain")
        queue = reader.number("limits.queue")
        queueWait = .milliseconds(reader.number("limits.queue_wait_ms"))
        queueDeadline = reader.duration("limits.queue_deadline")
    }
}

extension Configuration.Provider {
    fileprivate init(_ reader: inout SettingReader) {
        region = reader.choice("provider.region")
        if region != "jp" {
            reader.complain("provider.region", "\(region) does not charge in yen, and orders have no other currency")
        }
        merchantID = reader.text("provider.merchant_id")
        storeID = reader.text("provider.store_id")
        storeName = reader.text("provider.store_name")
        publicKeyID = reader.text("provider.public_key_id")
        privateKeyPath = reader.text("provider.private_key")
        algorithm = reader.choice("provider.algorithm")
        apiURL = reader.text("provider.api_url")
        scriptURL = reader.text("provider.script_url")
        startURL = reader.text("provider.start_url")
        redirectHosts = reader.list("provider.redirect_hosts")
        policyHosts = reader.list("provider.csp_hosts")
        captureMode = CaptureMode(rawValue: reader.choice("provider.capture")) ?? .manual
        authorityPath = reader.text("provider.ca_file")
        simulatorQuota = QuotaTable(rawValue: reader.choice("simulator.quota")) ?? .live
        var quotas: [AmazonPayOperation: CallRate] = [:]
        for operation in AmazonPayOperation.allCases {
            quotas[operation] = reader.callRate(SettingTable.quotaName(operation))
        }
        self.quotas = quotas
        quotaProcesses = reader.number("provider.quota_processes")
        allowsAccountChange = reader.flag("provider.allow_account_change")
    }
}

extension Configuration.HTTP2 {
    fileprivate init(_ reader: inout SettingReader) {
        isOffered = reader.flag("http2.offered")
        isAcceptedInClear = reader.flag("http2.clear")
        streams = reader.number("http2.streams")
        streamWindow = reader.number("http2.stream_window")
        connectionWindow = reader.number("http2.connection_window")
        controlBurst = reader.number("http2.control_burst")
        controlRate = reader.number("http2.control_rate")
        responseDeadline = reader.duration("http2.response_deadline")
    }
}

extension Configuration.Webhooks {
    fileprivate init(_ reader: inout SettingReader) {
        secretPath = reader.text("merchant.secret_file")
        tries = reader.number("webhooks.tries")
        timeout = reader.duration("webhooks.timeout")
        concurrency = reader.number("webhooks.concurrency")
        allowsLoopback = reader.flag("webhooks.allow_loopback")
        authorityPath = reader.text("webhooks.ca_file")
    }
}
