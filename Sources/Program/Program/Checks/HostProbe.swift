import Cryptography
import HTTPCore
import Operations
import Primitives
import ServerCore

/// D20, D21, D24: what answers under the names of both hosts.
struct HostProbe {
    /// To both hosts, with certificates of any issuer that is believed.
    let exchange: any HTTPExchange
    /// The certificate in PEM that answers at an address; `nil` where it cannot be had.
    let certificate: (String) async -> [UInt8]?
    let clock: any WallClock

    /// What is wrong with a host, and the host again unless it gives no answer.
    func check(_ base: BaseURL?) async -> (host: BaseURL?, findings: [Finding]) {
        guard let base else { return (nil, []) }
        if case .failure(let why) = await exchange.ask("GET", base.origin + "/") {
            return (nil, [HostProbe.silence(base, why)])
        }
        return (base, await validity(base))
    }

    /// D24: whether a request for another host reaches the pages.
    func unknownHost(at web: BaseURL) async -> [Finding] {
        let host = [("Host", "unknown.invalid")]
        guard case .response(let answer) = await exchange.ask("GET", web.origin + "/", host), answer.status != 421
        else { return [] }
        return [
            Finding(
                "D24",
                .error,
                web.setting,
                "A request for an unknown host is answered with \(answer.status), not with 421.",
                remedy: "Let the balancer pass on the Host field unchanged."
            )
        ]
    }

    /// How long the certificate of a host is still good for; a balancer's is in no file that the settings name.
    private func validity(_ base: BaseURL) async -> [Finding] {
        guard base.scheme == "https" else { return [] }
        guard let pem = await certificate(base.origin + "/") else {
            return [Finding("D21", .note, base.setting, "The certificate of \(base.origin) could not be fetched.")]
        }
        do throws(CryptographyError) {
            return CertificateChecks.validity(
                of: try CertificateFacts(pem: pem),
                base.setting,
                clock.now(),
                renewal: "Renew it where TLS ends, at the balancer or here, and reload it."
            )
        } catch {
            return [Finding("D21", .note, base.setting, "The certificate of \(base.origin) cannot be read.")]
        }
    }

    /// Why a host gives no answer, in the words of the HTTP library.
    private static func silence(_ base: BaseURL, _ why: String) -> Finding {
        if why.contains("peer certificate") {
            return Finding(
                "D21",
                .error,
                base.setting,
                "The certificate of \(base.origin) is not trusted: \(why).",
                remedy: "Serve a valid certificate of a public authority for this host, with its chain."
            )
        }
        if why.contains("SSL connect") {
            return Finding(
                "D20",
                .error,
                base.setting,
                "The server at \(base.origin) has a TLS error: \(why).",
                remedy: "Forward the port to `listen` or to a TLS balancer; `clear_listen` speaks plain HTTP."
            )
        }
        return Finding(
            "D20",
            .error,
            base.setting,
            "\(base.origin) does not answer: \(why).",
            remedy: "Start the program, and check that DNS, port and firewall lead to it."
        )
    }
}
