import Primitives
import SimulatorCore
import StrictJSON

// Every request of a browser or of a client's server, with the faults that a tester wants.

extension LoginModel {
    /// A request that waits.
    struct Pause: Sendable {
        let request: SimulatorRequest
        let fault: Fault
    }

    /// Answers a request, or has it wait.
    mutating func receive(_ request: SimulatorRequest) -> SimulatorStep<Pause> {
        guard let (face, place) = ProviderFace.find(request.path) else { return .answer(SimulatorAnswer(404)) }
        guard let fault = faults.take("\(place)", byNameOnly: false, account: face.name) else {
            return .answer(answer(request, face, place))
        }
        guard fault.delay == .zero else { return .pause(fault.delay, Pause(request: request, fault: fault.spent)) }
        return go(request, face, place, fault)
    }

    /// Goes on with a request that has waited.
    mutating func resume(_ pause: Pause) -> SimulatorStep<Pause> {
        guard let (face, place) = ProviderFace.find(pause.request.path) else { return .answer(SimulatorAnswer(404)) }
        return go(pause.request, face, place, pause.fault)
    }

    private mutating func go(
        _ request: SimulatorRequest,
        _ face: ProviderFace,
        _ place: ProviderFace.Place,
        _ fault: Fault
    ) -> SimulatorStep<Pause> {
        var entry = LoginEntry(request, face, place, at: now)
        switch fault.kind {
        case .resetBefore:
            calls.add(entry)
            return .answer(SimulatorAnswer(500), .nothing)
        case .refusal(let status, let reason):
            entry.status = status
            calls.add(entry)
            let content: JSONValue = ["error": .string(reason ?? "server_error"), "error_code": 1000]
            let retry = fault.retryAfter.map { [("retry-after", $0)] } ?? []
            return .answer(.json(status, content, retry))
        case .htmlBody(let status?):
            entry.status = status
            calls.add(entry)
            return .answer(.gatewayPage(status))
        default:
            var answer = answer(request, face, place)
            let delivery = fault.spoil(&answer)
            return .answer(answer, delivery)
        }
    }

    private mutating func answer(
        _ request: SimulatorRequest,
        _ face: ProviderFace,
        _ place: ProviderFace.Place
    ) -> SimulatorAnswer {
        var entry = LoginEntry(request, face, place, at: now)
        let answer: SimulatorAnswer =
            switch place {
            case .discovery: discovery(face)
            case .authorization: authorize(face, request)
            case .step: step(face, request)
            case .token: token(face, request, &entry)
            case .keys: keySet(face)
            case .keyMap: keyMap(face)
            case .userInfo: userInfo(face, request)
            }
        entry.status = answer.status
        calls.add(entry)
        return answer
    }
}
