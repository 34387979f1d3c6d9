package import EventIO
import HTTPCore
package import HTTPServer
import Primitives

/// How much of an answer reaches the client.
package enum SimulatorDelivery: Sendable, Equatable {
    /// All of it.
    case whole
    /// Its head and half of its content, then the connection ends.
    case half
    /// Its head and half of its content, then for so long nothing, then the rest.
    case slow(Duration)
    /// Nothing: the connection ends.
    case nothing
}

/// The next step of a request: its answer, or a pause.
///
/// `Pause` holds the request while it waits.
package enum SimulatorStep<Pause: Sendable>: Sendable {
    /// This is the answer.
    case answer(SimulatorAnswer, SimulatorDelivery)
    /// Nothing for a while, then the request goes on.
    case pause(Duration, Pause)

    /// The whole of an answer.
    package static func answer(_ answer: SimulatorAnswer) -> SimulatorStep { .answer(answer, .whole) }

    /// The result of a handler: the answer at once, or after the pauses of the request.
    ///
    /// Connections break where a fault says so.
    ///
    /// - Parameters:
    ///   - ifAbandoned: What becomes of a request whose client goes during a pause.
    package func result(
        _ reactor: Reactor,
        ifAbandoned: @escaping (Pause) -> Fault.Abandonment = { _ in .later },
        resume: @escaping (Pause) -> SimulatorStep
    ) -> HandlerResult {
        if case .answer(let answer, .whole) = self { return .now(HTTPResponse(answer)) }
        return .later {
            var step = self
            while case .pause(let duration, let pause) = step {
                let due = reactor.now + duration
                await reactor.sleep(for: duration)
                // The end of a client ends the wait.
                if reactor.now < due {
                    switch ifAbandoned(pause) {
                    case .atOnce: break
                    case .never: throw HangUp()
                    case .later:
                        SimulatorStep.goOn(reactor, with: pause, after: due - reactor.now, resume)
                        throw HangUp()
                    }
                }
                step = resume(pause)
            }
            guard case .answer(let answer, let delivery) = step else { throw HangUp() }
            let response = HTTPResponse(answer)
            switch delivery {
            case .whole: return response
            case .half: throw HangUp(lastBytes: response.firstHalf)
            case .slow(let pause):
                throw HangUp(lastBytes: response.firstHalf, rest: response.secondHalf, after: pause)
            case .nothing: throw HangUp()
            }
        }
    }

    /// Takes a request to its end for which nobody waits any more.
    private static func goOn(
        _ reactor: Reactor,
        with pause: Pause,
        after delay: Duration,
        _ resume: @escaping (Pause) -> SimulatorStep
    ) {
        _ = reactor.schedule(after: delay) {
            guard case .pause(let next, let pause) = resume(pause) else { return }
            goOn(reactor, with: pause, after: next, resume)
        }
    }
}
