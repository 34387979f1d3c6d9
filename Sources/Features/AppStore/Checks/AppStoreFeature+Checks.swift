import AppStoreTransactions
package import Operations
import Primitives
package import ServerCore
package import Settings
import Web

// D80 roots and products, D81 roots of others, D82 texts that nobody has signed, D83 revoked certificates.

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
            _ = try AppStoreVerifiers(self.settings)
        } catch {
            findings += error.problems.map {
                Finding(
                    "D80",
                    .error,
                    "app_store.root_certificates",
                    $0 + ".",
                    remedy: "Get Apple Root CA - G3 from https://www.apple.com/certificateauthority/."
                )
            }
        }
        do throws(ConfigurationError) {
            _ = try ProductTable(path: self.settings.products)
        } catch {
            findings += error.problems.map {
                Finding("D80", .error, "app_store.products", $0 + ".", remedy: "Mend the file.")
            }
        }
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
}
