import Operations
import Primitives
import ServerCore
import Settings

/// D60: who may sign in on the administration listener, and over what.
enum OperatorChecks {
    private static let check = "D60"
    private static let setting = OperatorRoster.setting

    static func findings(_ settings: ExaminedSettings) -> [Finding] {
        guard settings.files[setting] != nil else { return [] }
        return people(settings) + listener(settings)
    }

    private static func people(_ settings: ExaminedSettings) -> [Finding] {
        let path = settings.text(setting)
        let remedy = "Have a line of `sallyport operators key NAME` for each person in it, and `chmod 600` it."
        switch settings.files[setting] {
        case .unreadable(let why)?:
            return [Finding(check, .error, setting, "\(path) cannot be read: \(why).", remedy: remedy)]
        case .content(let content)?:
            do {
                guard try OperatorRoster(content.reveal()).members.isEmpty else { return [] }
                return [
                    Finding(check, .warning, setting, "Nobody is in \(path), so nobody can sign in.", remedy: remedy)
                ]
            } catch {
                let problem = error.problems.first ?? "unreadable"
                return [Finding(check, .error, setting, "\(path): \(problem).", remedy: remedy)]
            }
        // Where the lines stand in the setting itself, the reader says so, and the feature is off.
        case .written?, nil: return []
        }
    }

    private static func listener(_ settings: ExaminedSettings) -> [Finding] {
        let address = settings.text("admin_listen")
        guard !address.isEmpty else {
            return [
                Finding(
                    check,
                    .warning,
                    "admin_listen",
                    "There is no administration listener, so nobody reaches the pages of the staff.",
                    remedy: "Set it to 127.0.0.1:8444, or leave operators.keys_file empty."
                )
            ]
        }
        let local = ["127.", "[::1]:", "[::ffff:127."]
        let origin = BaseURL("admin.base_url", settings.text("admin.base_url"))
        let isSafe = origin.map { $0.scheme == "https" || $0.isLoopback } ?? local.contains { address.hasPrefix($0) }
        guard !isSafe else { return [] }
        return [
            Finding(
                check,
                .error,
                "admin.base_url",
                "Keys of the staff would cross the network in clear: \(address) speaks plain HTTP, and no https origin is set.",
                remedy: "Set it to the https origin of a proxy in front of admin_listen, or listen on 127.0.0.1."
            )
        ]
    }
}
