import Operations
import Primitives
import ServerCore

/// D49: who can ask the administration listener.
enum AdminChecks {
    static func findings(_ settings: ExaminedSettings) -> [Finding] {
        token(settings) + reach(settings)
    }

    private static let setting = "admin.token_file"

    private static func token(_ settings: ExaminedSettings) -> [Finding] {
        let remedy = "Make one that only the program's user may read: `umask 077; openssl rand -hex 32 > FILE`."
        switch settings.files[setting] {
        case .content(let content)?:
            guard content.reveal().count(where: { $0 > 0x20 }) < 32 else { return [] }
            return [
                Finding("D49", .error, setting, "\(settings.text(setting)) is too short for a token.", remedy: remedy)
            ]
        case .unreadable(let why)?:
            return [
                Finding("D49", .error, setting, "\(settings.text(setting)) cannot be read: \(why).", remedy: remedy)
            ]
        case .written?: return [.written("D49", setting)]
        case nil: return []
        }
    }

    private static func reach(_ settings: ExaminedSettings) -> [Finding] {
        let address = settings.text("admin_listen")
        // Of 0.0.0.0 and [::] a client's view, that they lead to this machine, is of no account.
        let local = ["127.", "[::1]:", "[::ffff:127.", "unix:"]
        guard !address.isEmpty, !local.contains(where: { address.hasPrefix($0) }) else { return [] }
        guard settings.files[setting] != nil else {
            return [
                Finding(
                    "D49",
                    .error,
                    "admin_listen",
                    "\(address) is open to other machines, and \(setting) is not set.",
                    remedy: "Set \(setting) to a file with a token for /metrics, or listen on 127.0.0.1."
                )
            ]
        }
        return [
            Finding(
                "D49",
                .note,
                "admin_listen",
                "\(address) is open to other machines and speaks plain HTTP, also for the token.",
                remedy: "Let only your own network reach this address."
            )
        ]
    }
}
