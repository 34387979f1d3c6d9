import EventIO
import ServerCore
import Settings
import Telemetry

extension Configuration {
    /// Where the program listens and under which names.
    struct Listeners: Sendable {
        let tls: SocketAddress?
        let clear: SocketAddress?
        let redirect: SocketAddress?
        let admin: SocketAddress?
        /// Empty where the administration listener asks for no token.
        let adminTokenPath: String
        /// `nil` where browsers reach the administration listener under the names of this machine alone.
        let adminOrigin: WebOrigin?
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

        init(_ read: inout SettingReader) {
            tls = read.address("listen", "127.0.0.1:8443", "TLS listener of both hosts; empty for none")
            clear = read.address("clear_listen", "", "plain HTTP behind a TLS balancer, or for benchmarks")
            redirect = read.address(
                "redirect_listen",
                "",
                "plain HTTP that only redirects to https, such as 0.0.0.0:80"
            )
            admin = read.address("admin_listen", "127.0.0.1:8444", "plain HTTP: /healthz, /readyz, /metrics")
            adminTokenPath = read.secretFile(
                "admin.token_file",
                "file with a token of 32 to 256 characters, which /metrics then requires; needed for admin_listen beyond loopback"
            )
            adminOrigin = read.optionalOrigin(
                "admin.base_url",
                "https origin of a proxy in front of admin_listen, under which the shop's staff opens its pages; empty: names of this machine alone"
            )
            web = read.origin("web.base_url", "https://localhost:8443", "web host: the pages")
            link = read.within(.apps) { read in
                read.origin(
                    "link.base_url",
                    "https://links.localhost:8443",
                    "link host: association files, return links"
                )
            }
            certificatePath = read.file("tls.certificate", "PEM file: certificate, then its chain")
            keyPath = read.secretFile("tls.key", "PEM file: private key of the certificate")
            secondCertificatePath = read.file(
                "tls.second_certificate",
                "PEM file: a certificate of another kind, RSA beside P-256, for clients that do not accept the first"
            )
            secondKeyPath = read.secretFile("tls.second_key", "PEM file: private key of the second certificate")
            ticketSecretPath = read.secretFile(
                "tls.ticket_secret",
                "file of 32 bytes or more that processes share, so that a client can resume its TLS session at each of them; empty: random"
            )
            trustedProxies = read.list("trusted_proxies", "", "addresses of proxies whose X-Forwarded-For is accepted")
            loops = read.number("loops", 0...256, 0, "event loops; 0 for one per core")
        }
    }

    /// What is logged, and how.
    struct Log: Sendable {
        let level: LogLevel
        /// `nil` for text at a terminal, JSON elsewhere.
        let format: LogFormat?

        init(_ read: inout SettingReader) {
            let words = LogLevel.allCases.map(\.description)
            let level = read.choice("log_level", words, "info", "lowest level that is logged, on standard output")
            self.level = LogLevel(name: level) ?? .info
            let format = read.choice(
                "log.format",
                ["auto", "json", "text"],
                "auto",
                "JSON lines for programs, text for people; auto: text if standard output is a terminal"
            )
            self.format = ["json": .json, "text": .text][format]
        }
    }
}

extension SettingReader {
    /// The origin; `nil` where the setting is empty or wrong.
    fileprivate mutating func optionalOrigin(_ name: String, _ meaning: String) -> WebOrigin? {
        let text = text(name, "", meaning, takes: "https origin")
        guard !text.isEmpty else { return nil }
        let origin = WebOrigin(text)
        if origin == nil { complain(name, "not an origin, such as https://console.example.com (lower case, no path)") }
        return origin
    }

    /// The origin; a placeholder after a problem.
    fileprivate mutating func origin(_ name: String, _ fallback: String, _ meaning: String) -> WebOrigin {
        guard let origin = WebOrigin(text(name, fallback, meaning, takes: "https origin")) else {
            complain(name, "not an origin, such as https://pay.example.com (lower case, no path)")
            return WebOrigin.placeholder
        }
        return origin
    }
}
