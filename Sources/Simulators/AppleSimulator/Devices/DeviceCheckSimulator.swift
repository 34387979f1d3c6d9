package import EventIO
package import HTTPCore
package import HTTPServer
import Primitives
import SimulatorCore

/// The simulated service on one event loop: its calls in two environments, phones with an app, and the control interface below
/// `/_sim`.
///
/// All rules live in `DeviceCheckModel`, a value. This object gives it requests and the time, waits where a fault says so, and
/// asks the developer's server for the apps. One loop has the whole state, so nothing is locked.
package final class DeviceCheckSimulator: Simulator {
    private var model: DeviceCheckModel
    private let reactor: Reactor
    /// Carries what apps ask; without one no server answers them.
    private let exchange: (any HTTPExchange)?

    /// A simulator that no server asks yet.
    ///
    /// - Parameters:
    ///   - reactor: Of the loop it is made on and stays on.
    ///   - exchange: Carries what apps ask the developer's server; `nil` for none.
    package init(
        _ configuration: DeviceCheckModel.Configuration,
        reactor: Reactor,
        exchange: (any HTTPExchange)? = nil
    ) {
        (self.reactor, self.exchange) = (reactor, exchange)
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
        guard !DeviceCheckModel.isControl(request) else { return control(request) }
        return model.receive(request).result(
            reactor,
            ifAbandoned: { $0.fault?.abandonment ?? .later },
            resume: { pause in self.model.resume(pause, at: self.reactor.wallNow) }
        )
    }

    // MARK: Apps

    private func control(_ request: SimulatorRequest) -> HandlerResult {
        let order: PhoneOrder?
        do throws(ControlError) {
            order = try PhoneOrder(request)
            if order != nil { try model.checkTester(request) }
        } catch { return .now(HTTPResponse(model.refusal(error, request))) }
        guard let order else { return .now(HTTPResponse(model.answerTester(request))) }
        return .later {
            do throws(ControlError) {
                let wanted = try self.model.request(for: order)
                let answer = await self.ask(wanted)
                self.model.moveTo(self.reactor.wallNow)
                self.model.takeAnswer(answer, to: order)
            } catch {
                return HTTPResponse(self.model.refusal(error, request))
            }
            return HTTPResponse(self.model.answer(after: order, request))
        }
    }

    /// The answer of the developer's server; `nil` where none comes.
    private func ask(_ request: OutboundRequest) async -> InboundResponse? {
        guard let exchange else { return nil }
        return try? await exchange.send(request)
    }
}
