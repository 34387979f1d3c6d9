package import EventIO
package import HTTPCore
package import HTTPServer
import Primitives
import SimulatorCore

/// The simulated service on one event loop: its calls in two environments, devices, and the control interface below `/_sim`.
///
/// All rules live in `DeviceCheckModel`, a value. This object gives it requests and the time, and waits where a fault says so.
/// One loop has the whole state, so nothing is locked.
package final class DeviceCheckSimulator: Simulator {
    private var model: DeviceCheckModel
    private let reactor: Reactor

    /// A simulator that no server asks yet.
    ///
    /// - Parameters:
    ///   - reactor: Of the loop it is made on and stays on.
    package init(_ configuration: DeviceCheckModel.Configuration, reactor: Reactor) {
        self.reactor = reactor
        model = DeviceCheckModel(configuration, at: reactor.wallNow)
    }

    /// In log lines, and as `simulators` takes it.
    package static let name = "devicecheck"

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
        guard !DeviceCheckModel.isControl(request) else { return .now(HTTPResponse(model.control(request))) }
        return model.receive(request).result(
            reactor,
            ifAbandoned: { $0.fault?.abandonment ?? .later },
            resume: { pause in self.model.resume(pause, at: self.reactor.wallNow) }
        )
    }
}
