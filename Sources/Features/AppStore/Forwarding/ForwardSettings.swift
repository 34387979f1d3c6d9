import HTTPClient
import HTTPCore
import Primitives
import Settings
import Webhooks

/// To whom verified notifications are sent on.
struct ForwardSettings: Sendable {
    /// Empty for nobody.
    let url: String

    init(_ read: inout SettingReader) {
        let name = "app_store.forward_url"
        url = read.text(
            name,
            "",
            "address of another server that gets every verified notification as Apple has sent it, https or this machine's; empty: none",
            takes: "address"
        )
        guard isOn, let problem = WebhookAddress.problem(url, allowsLoopback: true) else { return }
        read.complain(name, problem)
    }

    /// Whether there is one.
    var isOn: Bool { !url.isEmpty }

    /// Requests to it: into private networks, as webhooks go, and to this machine only where the address says so.
    var purpose: OutboundPurpose {
        var configuration = ClientConfiguration()
        let isHere = HTTPURL(url)?.host.isLoopback ?? false
        configuration.reach = isHere ? .everyMachine : .otherMachines
        configuration.bodyLimit = 64 << 10
        configuration.concurrencyLimit = 8
        return OutboundPurpose("app_store_forward", configuration)
    }
}
