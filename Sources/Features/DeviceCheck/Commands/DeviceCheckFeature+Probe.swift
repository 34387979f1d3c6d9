import DeviceAttestation
import EventIO
package import Operations
package import ServerCore
import Settings

// D89: the key, shown to Apple.

extension DeviceCheckFeature {
    package func probe(_ context: ProbeContext) async -> [Finding] {
        guard settings.isOn, settings.apple.isOn else { return [] }
        let access: AppleDeviceAccess
        do throws(ConfigurationError) {
            access = AppleDeviceAccess(try settings.apple.tokens())
        } catch {
            // Reported by the checks without a network.
            return []
        }
        let report = await CredentialProbe(
            service: AppleDeviceService(
                settings.apple,
                access,
                over: context.exchange(settings.apple.trustPath),
                on: context.reactor
            ),
            settings: settings.apple,
            environment: settings.environment,
            random: context.reactor.random
        )
        .run()
        switch report.outcome {
        case .good:
            guard report.hasClockDifference else { return [] }
            return [
                Finding(
                    "D89",
                    .warning,
                    "device_check.\(settings.environment.rawValue)_url",
                    report.sentence,
                    remedy:
                        "Set the clock: both times of a request come from it, and Apple refuses those that are far from its own."
                )
            ]
        case .refused:
            return [
                Finding(
                    "D89",
                    .error,
                    "device_check.private_key",
                    report.sentence,
                    remedy: CredentialProbe.remedy
                )
            ]
        case .unanswered:
            return [
                Finding(
                    "D89",
                    .warning,
                    "device_check.\(settings.environment.rawValue)_url",
                    report.sentence,
                    remedy: "Check DNS, firewall and proxy on the way to Apple."
                )
            ]
        }
    }
}
