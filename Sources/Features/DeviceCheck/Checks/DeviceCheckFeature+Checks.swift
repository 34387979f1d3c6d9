import DeviceAttestation
package import Operations
package import Postgres
import Primitives
package import ServerCore
import Settings

// D86 key and policies, D87 what Apple has refused and what waits, D88 marks that policies go by in vain.

extension DeviceCheckFeature {
    package func findings(_ settings: ExaminedSettings) -> [Finding] {
        guard self.settings.isOn else { return [] }
        var findings: [Finding] = []
        if self.settings.apple.isOn {
            do throws(ConfigurationError) {
                _ = try self.settings.apple.tokens()
            } catch {
                let remedy =
                    "Keep the file as Apple gave it out, AuthKey_ID.p8; lost, it is made anew in the developer portal."
                findings += error.problems.map { DeviceCheckFeature.unusable($0, remedy: remedy) }
            }
        }
        do throws(ConfigurationError) {
            let policies = try DevicePolicies.read(self.settings)
            findings += policies.vainMarks.map { sentence in
                Finding("D88", .warning, "device_check.policies", sentence, remedy: "See docs/device-policies.md.")
            }
        } catch {
            findings += error.problems.map {
                DeviceCheckFeature.unusable($0, remedy: "Mend it; docs/device-policies.md has the form of the file.")
            }
        }
        return findings
    }

    package func examine(_ database: PostgresClient) async throws -> [Finding] {
        guard settings.isOn, settings.apple.isOn else { return [] }
        let troubles = try await database.read(DeviceStatement.troubles()).first()
        var findings: [Finding] = []
        if troubles.refusals > 0 {
            let sentence = "Apple has refused device_check.private_key in \(troubles.refusals) calls of the last hour."
            let remedy = CredentialProbe.remedy
            findings.append(Finding("D87", .error, "device_check.private_key", sentence, remedy: remedy))
        }
        if troubles.malformed > 0 {
            let sentence = "Apple has refused what it was asked in \(troubles.malformed) calls of the last hour."
            let remedy = "Is the clock of each machine right? The log line device_check.request_refused has more."
            findings.append(Finding("D87", .error, "device_check.team_id", sentence, remedy: remedy))
        }
        let blocked = try await database.read(DeviceStatement.waiting()).all().first { $0.state == .blocked }
        if let blocked, blocked.age >= DeviceCheckFeature.longWait {
            findings.append(
                Finding(
                    "D87",
                    .note,
                    "device_check.team_id",
                    "\(blocked.count) marks for fraud wait for their accounts to come back, one of them for over 30 days.",
                    remedy: "They count for these accounts; the devices are marked at their next visit, and not before."
                )
            )
        }
        return findings
    }

    private static let longWait = Duration.seconds(30 * 86_400)

    /// D86 for a problem that begins with the name of its setting.
    private static func unusable(_ problem: String, remedy: String) -> Finding {
        let parts = problem.octets.parts(between: UInt8(ascii: ":"), limit: 1)
        let sentence = parts.count > 1 ? String(parts[1].dropFirst()) : problem
        return Finding("D86", .error, parts[0], sentence + ".", remedy: remedy)
    }
}

extension DevicePolicies {
    /// Sentences on marks that do not mean what somebody may think.
    var vainMarks: [String] {
        let written = Set(events.map(\.mark) + policies.compactMap(\.mark)).filter(meaning.has)
        let refused = policies.filter(\.decides).flatMap { policy in
            [DeviceState.trialUsed, .paid, .blocked].compactMap { state -> String? in
                guard meaning.has(state), !policy.accepted.contains(state), !written.contains(state) else { return nil }
                return
                    "\(policy.purpose) refuses devices that are \(state.rawValue), and no event and no policy makes one so."
            }
        }
        let lost = events.compactMap { event -> String? in
            guard !meaning.has(event.mark) else { return nil }
            let floor = meaning.floor(event.mark)
            return "\(event.name) marks a device as \(floor.rawValue), since no bits stand for \(event.mark.rawValue)."
        }
        return refused + lost
    }
}
