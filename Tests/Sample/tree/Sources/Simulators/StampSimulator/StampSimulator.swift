package import EventIO
import HTTPCore
import HTTPServer
package import Settings
package import SimulatorCore
package import StrictJSON
package import Telemetry

/// The office that stamps notes, as a demo has it.
package struct StampOffice: SimulatedSystem {
    /// For `simulators`.
    package static let name = "stamps"
    /// For people.
    package static let title = "stamp office"
    /// Where notes are stamped.
    package static let addressSetting = "notes.stamp_url"

    private let address: SocketAddress
    /// Its only answer.
    package let healthURL: String

    package static func demoSettings(_ demo: DemoSource) -> [String: JSONValue] {
        // Beside the port of the other simulators, so that demos of one machine do not meet.
        let port = Int(SocketAddress(demo.text("simulator_listen"))?.port ?? 9443) ^ 1
        let address = demo.isSet("stamps.listen") ? demo.text("stamps.listen") : "127.0.0.1:\(port)"
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
