import EventIO
import ServerCore
import Settings

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
        features.check(&reader, web: listeners.web)
        checkOrigins(&reader)
        checkListeners(&reader)
    }

    private func checkOrigins(_ reader: inout SettingReader) {
        if reader.areSound("web.base_url", "link.base_url"), listeners.web.isSameServer(as: listeners.link) {
            reader.complain(
                "link.base_url",
                "the same host as web.base_url; a link on the page's own host never opens the app"
            )
        }
        let admin = listeners.adminOrigin.map { [("admin.base_url", $0)] } ?? []
        for (name, origin) in [("web.base_url", listeners.web), ("link.base_url", listeners.link)] + admin
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
}
