import DeviceAttestation
import EventIO
import HTTPClient
import Operations
import Primitives
import ServerCore
import Settings

/// `sallyport devicecheck`: asks Apple whether it takes our key.
enum DeviceCheckCommand {
    static let command = FeatureCommand(
        of: DeviceCheckFeature.self,
        "devicecheck",
        operands: "probe",
        "find out whether Apple's DeviceCheck service takes the key of the settings",
        details: """
            probe   ask Apple about a token that no device has made, and say what its answer means: whether key, team and rights are
                    as they should be, and how far the clocks are apart. Nothing is changed at Apple, and nobody's device is asked about
            Without --environment that of device_check.environment is meant. Exit status: 0 Apple takes the key, 1 it does not, or
            gives no answer, 2 wrong use.
            """,
        options: [CommandOption("environment", "E", "production or development")],
        run: { feature, input, _ in
            let settings = feature.settings
            guard input.arguments.operands.map(\.octets) == ["probe"] else { throw problem("name what to do: probe") }
            guard settings.apple.isOn else {
                throw problem("set device_check.team_id, device_check.private_key first")
            }
            let environment = try environment(input.arguments.values["environment"]) ?? settings.environment
            let access = AppleDeviceAccess(try settings.apple.tokens())
            let report = try await withEventLoop { reactor in
                let purpose = settings.apple.purpose(environment)
                let exchange = CurlClient(reactor, configuration: purpose.configuration)
                return await CredentialProbe(
                    service: AppleDeviceService(settings.apple, access, over: exchange, on: reactor),
                    settings: settings.apple,
                    environment: environment,
                    random: reactor.random
                )
                .run()
            }
            switch report.outcome {
            case .good: input.console.print(report.sentence)
            case .refused: input.console.complain("devicecheck: \(report.sentence) \(CredentialProbe.remedy)")
            case .unanswered: input.console.complain("devicecheck: " + report.sentence)
            }
            return report.outcome == .good ? 0 : 1
        }
    ).with(examples: ["sallyport devicecheck probe", "sallyport devicecheck probe --environment development"])

    private static func environment(_ word: String?) throws(ConfigurationError) -> DeviceEnvironment? {
        guard let word else { return nil }
        guard let environment = DeviceEnvironment(word: word.octets) else {
            throw problem("--environment is production or development")
        }
        return environment
    }

    private static func problem(_ sentence: String) -> ConfigurationError {
        ConfigurationError(problems: ["devicecheck: \(sentence)"])
    }
}
