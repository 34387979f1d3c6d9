import Cryptography
import Operations
import Primitives
import ServerCore

/// D21 by files alone: certificates and their keys.
enum CertificateChecks {
    static func findings(_ settings: ExaminedSettings) -> [Finding] {
        guard !settings.text("listen").isEmpty else { return [] }
        return pair("tls.certificate", "tls.key", isNeeded: true, settings)
            + pair("tls.second_certificate", "tls.second_key", isNeeded: false, settings)
    }

    private static func pair(
        _ certificate: String,
        _ key: String,
        isNeeded: Bool,
        _ settings: ExaminedSettings
    ) -> [Finding] {
        [certificate, key].flatMap { setting -> [Finding] in
            switch settings.files[setting] {
            case .content(let content)?: setting == certificate ? check(content.reveal(), setting, settings) : []
            case .unreadable(let why)?: [unreadable(setting, settings.text(setting), why)]
            case .written?: [.written("D21", setting)]
            case nil: isNeeded ? [missing(setting)] : []
            }
        }
    }

    private static func unreadable(_ setting: String, _ path: String, _ why: String) -> Finding {
        Finding(
            "D21",
            .error,
            setting,
            "\(path) cannot be read: \(why).",
            remedy: "Name a PEM file that the program's user may read."
        )
    }

    private static func missing(_ setting: String) -> Finding {
        Finding(
            "D21",
            .error,
            setting,
            "It is not set, and the TLS listener needs it.",
            remedy: "Name a PEM file, or empty `listen` where a balancer speaks TLS."
        )
    }

    private static func check(_ pem: [UInt8], _ setting: String, _ settings: ExaminedSettings) -> [Finding] {
        let certificate: CertificateFacts
        do throws(CryptographyError) {
            certificate = try CertificateFacts(pem: pem)
        } catch {
            return [
                Finding(
                    "D21",
                    .error,
                    setting,
                    "\(settings.text(setting)) holds no certificate in PEM.",
                    remedy: "Name the file with the certificate of the hosts first and its chain behind it."
                )
            ]
        }
        return validity(of: certificate, setting, settings.now) + names(in: certificate, setting, settings)
    }

    /// How long a certificate is good for, wherever it was found.
    static func validity(
        of certificate: CertificateFacts,
        _ setting: String,
        _ now: WallTime,
        renewal: String = "Renew it, and send SIGHUP to the program."
    ) -> [Finding] {
        if certificate.notAfter < now {
            let day = CalendarDate(certificate.notAfter).extendedText
            return [Finding("D21", .error, setting, "The certificate expired on \(day).", remedy: renewal)]
        }
        if now < certificate.notBefore {
            let day = CalendarDate(certificate.notBefore).extendedText
            return [
                Finding(
                    "D21",
                    .error,
                    setting,
                    "The certificate is not valid before \(day).",
                    remedy: "Check this machine's clock, or wait until that day."
                )
            ]
        }
        guard certificate.notAfter < now + .seconds(14 * 86_400) else { return [] }
        let day = CalendarDate(certificate.notAfter).extendedText
        return [Finding("D21", .warning, setting, "The certificate expires on \(day).", remedy: renewal)]
    }

    private static func names(
        in certificate: CertificateFacts,
        _ setting: String,
        _ settings: ExaminedSettings
    ) -> [Finding] {
        settings.hosts.filter { base in
            base.scheme == "https" && !certificate.names.contains { speaks($0, for: base.plainHost) }
        }.map { base in
            Finding(
                "D21",
                .error,
                setting,
                "The certificate is not valid for \(base.plainHost), the host of \(base.setting).",
                remedy: "Get a certificate for both hosts."
            )
        }
    }

    /// A wildcard stands for one label, and not directly under a top-level name.
    private static func speaks(_ name: CertificateName, for host: String) -> Bool {
        switch name {
        case .address(let address): return host == address || host == "[\(address)]"
        case .host(let name):
            let name = name.lowercased()
            guard name.hasPrefix("*.") else { return name == host }
            let parent = host.drop { $0 != "." }
            return parent.dropFirst().contains(".") && parent == name.dropFirst()
        }
    }
}
