package import Cryptography
package import EventIO
package import HTTPCore
package import HTTPServer
import Primitives
import SimulatorCore

/// Simulated providers of logins on one event loop, and the control interface below `/_sim`.
///
/// All rules live in `LoginModel`, a value. This object gives it requests and the time, and waits where a fault says so.
package final class LoginSimulator: Simulator {
    private var model: LoginModel
    private let reactor: Reactor

    /// A simulator.
    ///
    /// - Parameters:
    ///   - reactor: Of the loop it is made on and stays on.
    /// - Throws: `failed` where OpenSSL makes no keys.
    package init(_ configuration: LoginModel.Configuration, reactor: Reactor) throws(CryptographyError) {
        self.reactor = reactor
        model = try LoginModel(configuration, at: reactor.wallNow)
    }

    /// In log lines, and as `simulators` takes it.
    package static let name = "login"

    /// Bytes of a content.
    package static let bodyLimit = 1 << 18

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
        guard !LoginModel.isControl(request) else { return .now(HTTPResponse(model.control(request))) }
        return model.receive(request).result(
            reactor,
            ifAbandoned: { $0.fault.abandonment },
            resume: { pause in
                self.model.moveTo(self.reactor.wallNow)
                return self.model.resume(pause)
            }
        )
    }
}
