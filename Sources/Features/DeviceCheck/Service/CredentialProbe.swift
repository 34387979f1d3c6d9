import Cryptography
import DeviceAttestation
import EventIO
import Primitives
import Telemetry

/// Finds out whether Apple takes our key, by a token that no device has made; nothing is changed at Apple.
struct CredentialProbe {
    let service: AppleDeviceService
    let settings: AppleDeviceSettings
    let environment: DeviceEnvironment
    let random: any RandomSource

    /// What came of it.
    enum Outcome: Hashable {
        /// Our key opens the service.
        case good
        /// Apple refuses our key, or what we send.
        case refused
        /// Nobody says anything that can be read.
        case unanswered
    }

    /// What came of it, in words.
    struct Report: Hashable {
        let outcome: Outcome
        let sentence: String
        /// Whether the clocks are too far apart.
        var hasClockDifference = false
    }

    /// As long as tokens are.
    private static let tokenSize = 2_000

    /// Asks.
    func run() async -> Report {
        guard let token = try? DeviceToken(Base64.encode(random.bytes(CredentialProbe.tokenSize))) else {
            return Report(outcome: .unanswered, sentence: "no token could be made up.")
        }
        let reply = await service.ask(.validate, about: token, in: environment)
        let place = "\(settings.base(of: environment)) (\(environment.rawValue))"
        switch reply.answer {
        case .badDeviceToken:
            return Report(
                outcome: .good,
                sentence: "\(place) takes the key of team \(settings.teamID).\(clock)",
                hasClockDifference: !clock.isEmpty
            )
        case .credentials, .credentialsExpired:
            return Report(
                outcome: .refused,
                sentence: "\(place) refuses the key of team \(settings.teamID).\(clock)\(CredentialProbe.ids(reply))"
            )
        case .badRequest:
            return Report(
                outcome: .refused,
                sentence: "\(place) refuses what is asked.\(clock)\(CredentialProbe.ids(reply))"
            )
        case .ok, .record:
            let sentence = "\(place) calls a token genuine that no device has made; it is not Apple's service."
            return Report(outcome: .refused, sentence: sentence)
        case .throttled:
            return Report(outcome: .unanswered, sentence: "\(place) is asked too much; ask again later.")
        case .unavailable, .unreadable:
            let sentence = "\(place) gives no answer that can be read: \(reply.answer.outcome).\(clock)"
            return Report(outcome: .unanswered, sentence: sentence)
        }
    }

    /// What is wrong with the clocks, where they are too far apart.
    private var clock: String {
        guard let seconds = service.clockDifference, abs(seconds) > AppleDeviceService.clockTolerance.components.seconds
        else { return "" }
        return " Its clock is \(abs(seconds)) s \(seconds > 0 ? "before" : "behind") ours."
    }

    /// What Apple has to be told in a letter.
    private static func ids(_ reply: DeviceServiceReply) -> String {
        reply.correlation.isEmpty
            ? "" : " " + reply.correlation.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
    }

    /// What an operator does where Apple refuses the key.
    static let remedy = """
        In the developer portal, Certificates, Identifiers & Profiles, Keys: is the key there with DeviceCheck switched on? \
        A key of App Store Connect opens another service. Is device_check.team_id the team's, and the clock right?
        """
}

extension AppleDeviceService {
    /// Shows a key to Apple that was not shown before, so that an operator hears at once what is wrong with it.
    func probeWhenDue(_ environment: DeviceEnvironment) async {
        guard access.takeProbe(at: reactor.wallNow) else { return }
        let probe = CredentialProbe(
            service: self,
            settings: settings,
            environment: environment,
            random: reactor.random
        )
        let report = await probe.run()
        let fields = [LogField("detail", report.sentence)]
        // What is refused is in the log already.
        switch report.outcome {
        case .good: log.info("device_check.key_taken", fields)
        case .unanswered: log.warning("device_check.unanswered", fields)
        case .refused: break
        }
    }
}
