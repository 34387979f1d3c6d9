import HTTPCore
package import Operations
package import ServerCore

/// D73: the web service under its public address, asked as a phone does.
///
/// A phone says nothing when it refuses an address.
struct PhoneProbe {
    /// The address that cards have.
    let service: String
    /// The setting that names its host.
    let setting: String
    let exchange: any HTTPExchange

    /// Asks for the news of a phone that there is not.
    func findings() async -> [Finding] {
        switch await exchange.ask("GET", service + "/v1/devices/doctor/registrations/doctor") {
        case .failure(let why): [silence(why)]
        case .response(let answer): PhoneProbe.remedy(answer.status).map { [unexpected(answer.status, $0)] } ?? []
        }
    }

    private func silence(_ why: String) -> Finding {
        Finding(
            "D73",
            .error,
            setting,
            "Phones get no answer from \(service): \(why).",
            remedy: why.contains("certificate")
                ? "Serve a certificate of a public authority for this host, with its intermediates: phones know roots alone."
                : "Check that DNS, port and firewall lead to the program, and that it speaks TLS there."
        )
    }

    private func unexpected(_ status: Int, _ remedy: String) -> Finding {
        Finding(
            "D73",
            .error,
            setting,
            "A phone that asks \(service) for news is answered with \(status), not with 204.",
            remedy: remedy
        )
    }

    /// What to do about a status; `nil` where there is nothing to do.
    private static func remedy(_ status: Int) -> String? {
        switch status {
        case 204: nil
        case 300..<400: "Take the redirect away: phones follow none."
        case 401, 403: "Let phones ask without a password of the proxy: they have none."
        case 429: "Too many questions came from this address; ask again in a minute."
        case 500...: "Read the log of the program and of the proxy before it."
        default: "Let the proxy pass on path and Host field unchanged."
        }
    }
}

extension WalletFeature {
    package func probe(_ context: ProbeContext) async -> [Finding] {
        // A web host that does not answer is reported already.
        guard let origin = settings.host?.text ?? context.web?.origin else { return [] }
        let probe = PhoneProbe(
            service: origin + settings.path,
            setting: settings.host == nil ? "web.base_url" : "wallet.host",
            exchange: context.hosts
        )
        return await probe.findings()
    }
}
