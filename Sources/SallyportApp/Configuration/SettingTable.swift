import AmazonPay
import Commerce
import MerchantOrders

/// Every key the program knows, in the order in which `--print-config` shows them.
enum SettingTable {
    static let all: [Setting] =
        listeners + storage + session + limits + http2 + headers + provider + quota + shop + merchant + notifications
        + reconciliation
        + apps + webhooks

    /// Not a setting of the file: what it allows is forbidden before any file is read.
    static let coreDumps = Setting(
        "debug.core_dumps",
        .flag,
        "false",
        "allow cores, debuggers and perf, which see every secret; as a variable only, not in the file"
    )

    /// The settings that name files with secrets.
    static let secretFiles = [
        "tls.key", "tls.second_key", "tls.ticket_secret", "provider.private_key", "merchant.secret_file",
        "admin.token_file", "database.password_file",
    ]

    private static let listeners: [Setting] = [
        Setting("listen", .address, "127.0.0.1:8443", "TLS listener of both hosts; empty for none"),
        Setting("clear_listen", .address, "", "plain HTTP behind a TLS balancer, or for benchmarks"),
        Setting("redirect_listen", .address, "", "plain HTTP that only says where https is, such as 0.0.0.0:80"),
        Setting("admin_listen", .address, "127.0.0.1:8444", "plain HTTP: /healthz, /readyz, /metrics"),
        Setting(
            "admin.token_file",
            .path,
            "",
            "file of a token, 32 to 256 characters, that /metrics then asks for; admin_listen beyond loopback needs it"
        ),
        Setting("simulator_listen", .address, "127.0.0.1:9443", "where `simulators` and `demo` put the simulators"),
        Setting(
            "simulator.quota",
            .choice(QuotaTable.allCases.map(\.rawValue)),
            "live",
            "whose limits the simulator has, and what calls to one are kept under: Amazon's for live or sandbox accounts, or none"
        ),
        Setting("web.base_url", .origin, "https://localhost:8443", "web host: the pages"),
        Setting("link.base_url", .origin, "https://links.localhost:8443", "link host: association files, return links"),
        Setting("tls.certificate", .path, "", "PEM file: certificate, then its chain"),
        Setting("tls.key", .path, "", "PEM file: private key of the certificate"),
        Setting(
            "tls.second_certificate",
            .path,
            "",
            "a certificate of another kind, RSA beside P-256: clients get the one that they can check"
        ),
        Setting("tls.second_key", .path, "", "PEM file: private key of the second certificate"),
        Setting(
            "tls.ticket_secret",
            .path,
            "",
            "file of 32 bytes or more that processes share, so that a client resumes on each; empty: chance"
        ),
        Setting("trusted_proxies", .list, "", "addresses whose X-Forwarded-For is believed"),
        Setting("loops", .number(0...256), "0", "event loops; 0 for one per core"),
        Setting(
            "log_level",
            .choice(["trace", "debug", "info", "notice", "warning", "error"]),
            "info",
            "the least that is logged, on standard output"
        ),
        Setting(
            "log.format",
            .choice(["auto", "json", "text"]),
            "auto",
            "JSON lines for programs, text for people; auto: text where standard output is a terminal"
        ), coreDumps,
    ]

    private static let storage: [Setting] = [
        Setting(
            "database_url",
            .text,
            "",
            secret: true,
            "libpq URI; empty for a private cluster in the data directory"
        ),
        Setting(
            "database.insecure_plaintext",
            .flag,
            "false",
            "reach a database on another machine without TLS that verifies it: whoever is between reads and writes orders"
        ),
        Setting(
            "database.password_file",
            .path,
            "",
            "file with the password of the database, in one line; it wins over one in database_url"
        ),
        Setting("data_dir", .path, "./var", "private cluster, development authority and keys"),
        Setting("migrations_dir", .path, "", "folder of the migrations; empty to look beside the program"),
        Setting("public_dir", .path, "", "folder of the static files; empty to look beside the program"),
        Setting("merchant.retention_days", .number(180...3650), "400", "orders and their ledger, behind their month"),
    ]

    private static let session: [Setting] = [
        Setting("profile", .choice(["compat", "standard", "strict"]), "standard", "how much of the seed is tolerated"),
        Setting(
            "open.mode",
            .choice(["", "get", "auto_post", "tap"]),
            "",
            "how a launch ticket opens; empty: by profile"
        ),
        Setting(
            "open.clean_url",
            .choice(["", "true", "false"]),
            "",
            "answer an open with a redirect; empty: by profile"
        ),
        Setting(
            "open.fetch_site",
            .choice(["", "off", "observe", "enforce"]),
            "",
            "what a foreign Sec-Fetch-Site at the open does; empty: by profile"
        ),
        Setting("open.reopen_window", .duration(0...60), "15s", "one second open after a lost answer"),
        Setting("session.launch", .duration(10...600), "5m", "life of a launch ticket"),
        Setting("session.idle", .duration(60...7200), "30m", "life of a flow without a request"),
        Setting("session.absolute", .duration(60...43200), "2h", "life of a flow"),
        Setting("session.receipt", .duration(60...3600), "15m", "life of the thanks page"),
        Setting("session.lease", .duration(31...600), "45s", "how long one purchase call owns a flow"),
        Setting(
            "session.allow_policy_change",
            .flag,
            "false",
            "take the place of the rules that programs of the database work under; for the time of a change"
        ),
        Setting(
            "session.on_reuse",
            .choice(["", "revoke", "refuse"]),
            "",
            "what a used launch ticket does to its flow; empty: by profile"
        ),
        Setting(
            "proof.app",
            .choice(["", "required", "optional"]),
            "",
            "the app's cookie at purchase; empty: by profile"
        ),
        Setting("proof.verifier", .choice(["", "required", "optional"]), "", "PKCE-style verifier; empty: by profile"),
        Setting(
            "cookies.names",
            .choice(["", "host", "plain"]),
            "",
            "`__Host-` names or the seed's; empty: by profile"
        ),
    ]

    private static let limits: [Setting] = [
        Setting("limits.issue_per_minute", .number(1...10_000_000), "600", "sessions per client address"),
        Setting("limits.flows_per_app", .number(1...1000), "10", "live flows per app install"),
        Setting(
            "limits.flows_total",
            .number(1...1_000_000_000),
            "1000000",
            "sessions that can still be opened or used, altogether"
        ),
        Setting("limits.unknown_per_minute", .number(1...10_000_000), "20", "unknown tokens per client address"),
        Setting("limits.connections", .number(1...1_000_000), "20000", "open connections"),
        Setting("limits.connections_per_address", .number(1...1_000_000), "1000", "open connections per address"),
        Setting("limits.requests_per_connection", .number(1...1_000_000_000), "100000", "then the connection closes"),
        Setting("limits.header_bytes", .number(1024...65536), "16384", "request line and fields"),
        Setting("limits.header_fields", .number(8...256), "64", "fields of a request"),
        Setting("limits.body_bytes", .number(1024...1_048_576), "16384", "body of a request"),
        Setting(
            "limits.content_bytes",
            .number(1_048_576...1_099_511_627_776),
            "67108864",
            "bodies of all requests together, beyond 4 KB of each connection; what would be more gets 503"
        ),
        Setting("limits.header_deadline", .duration(1...120), "10s", "for a whole request head"),
        Setting("limits.body_deadline", .duration(1...120), "20s", "for a whole request body"),
        Setting("limits.handshake_deadline", .duration(1...60), "10s", "for a TLS handshake"),
        Setting("limits.write_deadline", .duration(1...600), "30s", "for a reader that takes nothing of a response"),
        Setting("limits.idle", .duration(1...3600), "75s", "for an idle connection"),
        Setting(
            "limits.drain",
            .duration(1...600),
            "60s",
            "for what is in flight when the program stops; longer than any call that moves money"
        ),
        Setting("limits.queue", .number(16...100_000), "4096", "statements that wait on a database connection"),
        Setting(
            "limits.queue_wait_ms",
            .number(1...10_000),
            "250",
            "longest wait that a request which begins something may expect there; above it gets 503"
        ),
        Setting("limits.queue_deadline", .duration(1...60), "1s", "then a statement that still waits gets 503"),
    ]

    private static let http2: [Setting] = [
        Setting("http2.offered", .flag, "true", "HTTP/2 on the TLS listener, beside HTTP/1.1"),
        Setting("http2.clear", .flag, "false", "HTTP/2 with prior knowledge on the clear listener"),
        Setting("http2.streams", .number(1...1000), "100", "requests of a connection at the same time"),
        Setting("http2.stream_window", .number(16384...1_048_576), "65536", "body bytes of a request on their way"),
        Setting(
            "http2.connection_window",
            .number(262_144...16_777_216),
            "262144",
            "body bytes of a connection's requests that are not answered"
        ),
        Setting("http2.control_burst", .number(20...10000), "100", "frames without a request at once, by kind"),
        Setting("http2.control_rate", .number(1...10000), "10", "how many of them come back in a second"),
        Setting("http2.response_deadline", .duration(1...3600), "2m", "for a reader to take a whole response"),
    ]

    private static let headers: [Setting] = [
        Setting("hsts.include_subdomains", .flag, "true", "Strict-Transport-Security covers sub-domains"),
        Setting(
            "csp.p2",
            .choice(["enforce", "report"]),
            "enforce",
            "policy of the pages that load the provider's script"
        ),
        Setting(
            "security.contact",
            .text,
            "",
            "https or mailto URI for reports of weaknesses, shown in /.well-known/security.txt; empty: 404 there"
        ),
    ]

    private static let provider: [Setting] = [
        Setting(
            "provider.region",
            .choice(["jp", "na", "eu"]),
            "jp",
            "Amazon Pay region; orders are in yen, so only jp works"
        ),
        Setting("provider.merchant_id", .text, "", "Amazon Pay account"),
        Setting("provider.store_id", .text, "", "amzn1.application-oa2-client.…"),
        Setting("provider.public_key_id", .text, "", "SANDBOX-… or LIVE-…"),
        Setting("provider.private_key", .path, "", "PEM file: the RSA key that belongs to the public key id"),
        Setting(
            "provider.algorithm",
            .choice(["AMZN-PAY-RSASSA-PSS-V2", "AMZN-PAY-RSASSA-PSS"]),
            "AMZN-PAY-RSASSA-PSS-V2",
            "signature of requests and buttons"
        ),
        Setting("provider.store_name", .text, "My Sweet Shop", "shown to the buyer at Amazon, at most 50 characters"),
        Setting("provider.api_url", .text, "", "simulator in place of Amazon's API; empty for the region's host"),
        Setting("provider.script_url", .text, "", "checkout.js; empty for the region's"),
        Setting("provider.start_url", .text, "", "form target for a start without script; a simulator has one"),
        Setting("provider.redirect_hosts", .list, "", "hosts that the buyer may be sent to; empty for the region's"),
        Setting("provider.csp_hosts", .list, "", "origins the provider's script needs; empty for the region's"),
        Setting(
            "provider.ledger_currency",
            .choice(["", Currency.jpy.rawValue]),
            "",
            "the currency that the account charges in: yen, the only one that orders can have"
        ),
        Setting(
            "provider.capture",
            .choice(CaptureMode.allCases.map(\.rawValue)),
            "manual",
            "when the money of the shop's own orders is taken: by a call, or with the payment"
        ),
        Setting("provider.ca_file", .path, "", "PEM file: authority of a simulator"),
        Setting(
            "provider.allow_account_change",
            .flag,
            "false",
            "start on a database whose newest order is of another account or environment; orders of others are left alone"
        ),
    ]

    private static let merchant: [Setting] = [
        Setting("merchant.api", .flag, "false", "serve the interface for merchants' programs, below /v1"),
        Setting("merchant.requests_per_minute", .number(1...1_000_000), "600", "requests per key"),
        Setting("merchant.return_origins", .list, "", "origins of sites that buyers may be sent back to"),
        Setting(
            "merchant.postage_origins",
            .list,
            "",
            "origins of servers that may be asked for the postage of their orders"
        ),
        Setting(
            "merchant.postage_keys",
            .list,
            "1",
            "numbers of the keys that sign these questions; two while they change"
        ),
        Setting(
            "merchant.app_links",
            .list,
            "",
            "https origins and private schemes of apps that buyers may be sent back to"
        ),
    ]

    private static let webhooks: [Setting] = [
        Setting(
            "merchant.secret_file",
            .path,
            "",
            "file of 32 bytes or more that processes share; keys of webhooks are sealed under it, keys of postage derived from it"
        ),
        Setting("webhooks.tries", .number(1...1000), "112", "tries of one event before it is dead: three days"),
        Setting("webhooks.timeout", .duration(1...60), "10s", "for an endpoint to answer"),
        Setting("webhooks.concurrency", .number(1...256), "16", "tries under way, of a process"),
        Setting(
            "webhooks.allow_loopback",
            .flag,
            "false",
            "endpoints and postage callbacks on this machine, also without TLS"
        ),
        Setting(
            "webhooks.ca_file",
            .path,
            "",
            "PEM file: the only authorities of endpoints and postage callbacks; empty for the machine's"
        ),
    ]

    private static let apps: [Setting] = [
        Setting("apps.ios", .objects, "[]", "[{prefix, bundle, services, clip}]"),
        Setting("apps.android", .objects, "[]", "[{package, fingerprints, relations, dynamic}]"),
    ]
}
