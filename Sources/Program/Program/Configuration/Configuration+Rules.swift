import Checkout
import EventIO
import Merchant
import MerchantOrders
import ServerCore
import SessionBroker
import Settings
import Webhooks

// The rules that no single setting can break.

extension Configuration {
    /// Complains about settings that do not go together, where each by itself is sound.
    func checkTogether(_ reader: inout SettingReader) {
        if limits.bodyBytes > http2.connectionWindow {
            reader.complain(
                "http2.connection_window",
                "less than limits.body_bytes: a body of that size could never be received in full"
            )
        }
        checkPostage(&reader)
        checkOrigins(&reader)
        checkListeners(&reader)
        let isPlain = listeners.web.scheme != "https" && !listeners.web.isLoopback
        let cookies = try? checkout().policy.cookieNames
        if reader.areSound("web.base_url"), cookies == .host, isPlain {
            reader.complain("cookies.names", "__Host- names need https")
        }
    }

    private func checkOrigins(_ reader: inout SettingReader) {
        if reader.areSound("web.base_url", "link.base_url"), listeners.web.isSameServer(as: listeners.link) {
            reader.complain(
                "link.base_url",
                "the same host as web.base_url; a link on the page's own host never opens the app"
            )
        }
        for (name, origin) in [("web.base_url", listeners.web), ("link.base_url", listeners.link)]
        where reader.areSound(name) && origin.scheme != "https" && !origin.isLoopback {
            reader.complain(name, "not https, and not a loopback name")
        }
    }

    private func checkListeners(_ reader: inout SettingReader) {
        if let clear = listeners.clear, !clear.isLocal, listeners.trustedProxies.isEmpty {
            reader.complain("clear_listen", "not a loopback address, and trusted_proxies is empty")
        }
        if let admin = listeners.admin, !admin.isLocal, listeners.adminTokenPath.isEmpty {
            reader.complain(
                "admin_listen",
                "not a loopback address, so other machines could read /metrics: set admin.token_file to a file with a token"
            )
        }
        if listeners.trustedProxies.contains(where: { $0 == "*" || $0.hasSuffix("/0") }) {
            reader.complain("trusted_proxies", "a wildcard trusts every client")
        }
        if listeners.tls == nil, listeners.clear == nil, reader.areSound("listen", "clear_listen") {
            reader.complain("listen", "empty, and so is clear_listen: nothing would be served")
        }
    }

    private func checkPostage(_ reader: inout SettingReader) {
        // A program without one of the two features has nothing to compare.
        guard let origins = try? features.read(MerchantFeature.self).settings.postageOrigins, !origins.isEmpty,
            let servers = try? features.read(WebhookDelivery.self).settings
        else { return }
        for text in origins.map(\.description).sorted() {
            guard let problem = WebhookAddress.problem(text, allowsLoopback: servers.allowsLoopback) else { continue }
            reader.complain("merchant.postage_origins", "\(text): \(problem)")
        }
        if !servers.hasSecret {
            reader.complain("merchant.postage_origins", "merchant.secret_file is not set, which keys are derived from")
        }
    }
}
