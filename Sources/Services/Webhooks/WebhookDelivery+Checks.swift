package import Operations
import Primitives
package import ServerCore

extension WebhookDelivery {
    private static let setting = "merchant.secret_file"

    /// D43: what the keys of endpoints are sealed under.
    package func findings(_ settings: ExaminedSettings) -> [Finding] {
        let setting = WebhookDelivery.setting
        let least = WebhookVault.leastByteCount
        switch settings.files[setting] {
        case .content(let content)?:
            let count = content.reveal().count
            guard count < least else { return [] }
            return [
                finding(
                    .error,
                    "\(settings.text(setting)) has \(count) bytes, but needs at least \(least).",
                    "Make one by `umask 077; openssl rand -out FILE 32` before the first webhook is added, the same for all processes."
                )
            ]
        case .unreadable(let why)?:
            return [
                finding(
                    .error,
                    "\(settings.text(setting)) cannot be read: \(why).",
                    "Name a file that the program's user may read, and nobody else."
                )
            ]
        case .written?: return [.written("D43", setting)]
        case nil:
            guard settings.text("merchant.api") == "true" else { return [] }
            return [
                finding(
                    .warning,
                    "It is not set, so merchants cannot be told of events by webhooks.",
                    "Name a file of \(least) random bytes that all processes share; no webhook is added without it."
                )
            ]
        }
    }

    private func finding(_ severity: Severity, _ message: String, _ remedy: String) -> Finding {
        Finding("D43", severity, WebhookDelivery.setting, message, remedy: remedy)
    }
}
