package import EventIO
import HTTPCore
import HTTPServer
package import Settings
package import SimulatorCore
package import StrictJSON
package import Telemetry

/// The office that stamps notes, as a demo has it.
package struct StampOffice: SimulatedSystem {
    package static let name = "stamps"
    package static let title = "stamp office"
    package static let addressSetting = "notes.stamp_url"

    private let address: SocketAddress
    package let healthURL: String

    package static func demoSettings(_ demo: DemoSource) -> [String: JSONValue] {
        let address = demo.isSet("stamps.listen") ? demo.text("stamps.listen") : "127.0.0.1:9480"
        return ["stamps.listen": .string(address), "notes.stamp_url": "http://\(address)"]
    }

    package init?(_ settings: inout SettingReader) {
        let address = settings.address("stamps.listen", "", "the stamp simulator; empty: nowhere")
        guard let address else { return nil }
        self.address = address
        healthURL = (settings.texts["notes.stamp_url"] ?? "") + "/stamp"
    }

    package func places(_ launch: SimulatorLaunch) -> [SimulatorHost.Place] {
        [SimulatorHost.Place(ServerConfiguration.Listener(address, .clear), tls: nil)]
    }

    package func simulator(_ launch: SimulatorLaunch, _ reactor: Reactor, _ logger: Logger) -> any Simulator {
        StampSimulator()
    }
}

/// Answers with a stamp.
private final class StampSimulator: Simulator {
    static let name = "stamps"
    static let bodyLimit = 0

    func handle(_ request: HTTPRequest) -> HandlerResult {
        .now(HTTPResponse(request.path == "/stamp" ? .ok : .notFound, body: .bytes(Array("oval".utf8))))
    }
}
