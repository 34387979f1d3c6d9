import AppStoreTransactions
package import Operations
import Primitives
package import ServerCore
package import Settings
import Web

// D80 roots, authorities and products, D81 roots of others, D83 revoked certificates, D95 no products.

extension AppStoreFeature {
    package func check(_ settings: inout SettingReader, beside features: ConfiguredFeatures, web: WebOrigin) {
        guard state == .on, self.settings.environments.contains(where: { !$0.isSigned }), !web.isLoopback else {
            return
        }
        settings.complain(
            "app_store.environments",
            "Xcode and LocalTesting are for a server on loopback: anybody can make their texts"
        )
    }

    package func findings(_ settings: ExaminedSettings) -> [Finding] {
        guard self.settings.isOn else { return [] }
        var findings: [Finding] = []
        do throws(ConfigurationError) {
            _ = try AppStoreVerifiers.roots(self.settings)
        } catch {
            let remedy = "Get Apple Root CA - G3 from https://www.apple.com/certificateauthority/."
            findings += error.problems.map { unreadable("app_store.root_certificates", $0, remedy: remedy) }
        }
        do throws(ConfigurationError) {
            try self.settings.server.checkTrust()
        } catch {
            let remedy = "Mend the file, or leave the setting out where the machine's authorities are meant."
            findings += error.problems.map { unreadable("app_store.api_trust", $0, remedy: remedy) }
        }
        findings += productFindings
        let isReached = WebOrigin(settings.text("web.base_url")).map { !$0.isLoopback } ?? false
        if isReached, self.settings.allowsOtherRoot, self.settings.environments.contains(.production) {
            findings.append(
                Finding(
                    "D81",
                    .warning,
                    "app_store.allow_other_root",
                    "Purchases of production may be signed by another authority than Apple.",
                    remedy: "Leave it out where customers buy."
                )
            )
        }
        if isReached, self.settings.revocation == .off, self.settings.environments.contains(where: \.isSigned) {
            findings.append(
                Finding(
                    "D83",
                    .warning,
                    "app_store.revocation",
                    "Nobody asks whether the certificates of signed texts are revoked.",
                    remedy: "Set it to soft, and let the server reach the responders that the certificates name."
                )
            )
        }
        return findings
    }

    /// D80 for a file that is wrong, D95 for one that has nothing; a setting that is missing is refused as such.
    private var productFindings: [Finding] {
        guard !settings.products.isEmpty else { return [] }
        do throws(ConfigurationError) {
            guard try ProductTable(path: settings.products).count == 0 else { return [] }
        } catch {
            let remedy = "Mend the file; docs/app-store.md shows its form."
            return error.problems.map { unreadable("app_store.products", $0, remedy: remedy) }
        }
        return [
            Finding(
                "D95",
                .warning,
                "app_store.products",
                "\(settings.products) has no product: purchases are kept, and nothing is granted.",
                remedy: "Write each product with what it is worth into the file, as docs/app-store.md shows."
            )
        ]
    }

    /// D80 for a problem that begins with the name of its setting.
    private func unreadable(_ setting: String, _ problem: String, remedy: String) -> Finding {
        Finding("D80", .error, setting, String(problem.dropFirst(setting.count + 2)) + ".", remedy: remedy)
    }
}
