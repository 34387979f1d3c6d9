package import Operations
import Primitives
package import ServerCore
import Settings
import WalletPass

// D70 templates and certificates, D71 how long certificates are valid, D72 the address that phones ask; D73 is in `PhoneProbe`.

extension WalletFeature {
    package func findings(_ settings: ExaminedSettings) -> [Finding] {
        guard self.settings.isOn else { return [] }
        let stock = PassStock(self.settings, at: settings.now)
        let problems =
            stock.problems.map { $0.finding("D70", .error) } + stock.warnings.map { $0.finding("D70", .warning) }
        let ends = stock.expiries(at: settings.now).compactMap(\.finding)
        return problems + ends + address(settings)
    }

    /// D72: phones ask nobody over a connection that is not https.
    private func address(_ settings: ExaminedSettings) -> [Finding] {
        let origin = self.settings.host?.text ?? settings.text("web.base_url")
        guard !origin.octets.starts(with: "https://") else { return [] }
        return [
            Finding(
                "D72",
                .warning,
                self.settings.host == nil ? "web.base_url" : "wallet.host",
                "Phones ask an address without https in developer mode only.",
                remedy: "Serve the host over https."
            )
        ]
    }
}

extension PassStockProblem {
    func finding(_ check: String, _ severity: Severity) -> Finding {
        Finding(check, severity, place, message.hasSuffix(".") ? message : message + ".", remedy: remedy)
    }
}

extension CertificateExpiry {
    /// How many days before the end it is first said.
    private static let notice = 30

    /// `nil` while there is time.
    var finding: Finding? {
        guard days < CertificateExpiry.notice else { return nil }
        return Finding(
            "D71",
            days < 7 ? .error : .warning,
            "wallet.certificates",
            "The certificate of \(passType) ends in \(days) days, at \(CalendarDate(expires).extendedText).",
            remedy: "Make a new one for the same pass type and put it in its place; installed passes go on."
        )
    }
}
