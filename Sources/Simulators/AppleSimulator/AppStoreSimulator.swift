package import EventIO
package import HTTPCore
package import HTTPServer
import Primitives
import SimulatorCore
package import Telemetry

/// The simulated store on one event loop: the API of its servers, the notifications that they send, devices that buy, and the
/// control interface below `/_sim`.
///
/// All rules live in `AppStoreModel`, a value. This object gives it requests and the time, waits where a fault says so, and
/// sends. One loop has the whole state, so nothing is locked.
package final class AppStoreSimulator: Simulator {
    private var model: AppStoreModel
    private let reactor: Reactor
    /// Carries notifications; without one they wait.
    private let exchange: (any HTTPExchange)?
    private let logger: Logger

    /// A simulator that no server asks yet.
    ///
    /// - Parameters:
    ///   - reactor: Of the loop it is made on and stays on.
    ///   - exchange: Carries notifications; `nil` for none.
    package init(
        _ configuration: AppStoreModel.Configuration,
        reactor: Reactor,
        exchange: (any HTTPExchange)? = nil,
        logger: Logger = .silent
    ) {
        self.reactor = reactor
        self.exchange = exchange
        self.logger = logger
        model = AppStoreModel(configuration, at: reactor.wallNow)
    }

    /// In log lines, and as `simulators` takes it.
    package static let name = "app-store"

    /// Bytes of a content.
    package static let bodyLimit = 1 << 20

    package func problems(listeningOn address: SocketAddress) -> [String] {
        address.isLocal || model.configuration.allowsOthers
            ? [] : ["\(Self.name): \(address) can be reached from other machines"]
    }

    /// Takes the first address for its own.
    package func isServed(at url: String) {
        if model.configuration.baseURL.isEmpty { model.configuration.baseURL = url }
    }

    package func handle(_ request: HTTPRequest) -> HandlerResult {
        let request = SimulatorRequest(request, reading: [], testers: model.configuration.testers)
        model.moveTo(reactor.wallNow)
        guard !AppStoreModel.isControl(request) else { return .now(HTTPResponse(model.control(request))) }
        return model.receive(request).result(reactor, ifAbandoned: \.fault.abandonment) { pause in
            self.model.resume(pause, at: self.reactor.wallNow)
        }
    }
}
