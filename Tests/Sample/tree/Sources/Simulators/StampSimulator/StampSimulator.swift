package import EventIO
import HTTPCore
import HTTPServer
package import Settings
package import SimulatorCore
package import TLS
package import Telemetry

/// The office that stamps notes, as a demo has it.
package struct StampOffice: SimulatedSystem {
    package static let demoSettings = ["stamps.listen": "127.0.0.1:9480", "notes.stamp_url": "http://127.0.0.1:9480"]

    private let address: SocketAddress

    package init?(_ settings: inout SettingReader) {
        let address = settings.address("stamps.listen", "", "the stamp simulator; empty: nowhere")
        guard let address else { return nil }
        self.address = address
    }

    package func places(_ tls: ([String]) throws -> TLSContext) -> [SimulatorHost.Place] {
        [SimulatorHost.Place(ServerConfiguration.Listener(address, .clear), tls: nil)]
    }

    package func simulator(_ reactor: Reactor, _ logger: Logger) -> any Simulator { StampSimulator() }
}

/// Answers with a stamp.
private final class StampSimulator: Simulator {
    static let name = "stamps"
    static let bodyLimit = 0

    func handle(_ request: HTTPRequest) -> HandlerResult {
        .now(HTTPResponse(request.path == "/stamp" ? .ok : .notFound, body: .bytes(Array("oval".utf8))))
    }
}
