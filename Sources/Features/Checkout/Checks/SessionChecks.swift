import Operations
import Primitives
import ServerCore

/// D16, D18, D48, D50: the rules of a webview session, its trail, and what is under way when the program stops.
enum SessionChecks {
    static func findings(_ settings: ExaminedSettings) -> [Finding] {
        order(settings) + lease(settings) + profile(settings) + drain(settings) + trail(settings)
    }

    private static func order(_ settings: ExaminedSettings) -> [Finding] {
        let names = ["session.launch", "session.idle", "session.absolute"]
        return zip(names, names.dropFirst()).compactMap { shorter, longer in
            guard let first = settings.seconds(shorter), let second = settings.seconds(longer), first > second else {
                return nil
            }
            return Finding(
                "D16",
                .error,
                "session.idle",
                "\(shorter), \(settings.text(shorter)), is longer than \(longer), \(settings.text(longer)).",
                remedy:
                    "session.launch must not be longer than session.idle, nor session.idle longer than session.absolute. "
                    + "The defaults are 5m, 30m and 2h."
            )
        }
    }

    /// How long one call that completes a payment may take.
    private static let providerTimeout = 30

    private static func lease(_ settings: ExaminedSettings) -> [Finding] {
        guard let lease = settings.seconds("session.lease"), lease <= providerTimeout else { return [] }
        return [
            Finding(
                "D16",
                .error,
                "session.lease",
                "\(lease) s is not longer than the \(providerTimeout) s that one call to complete a payment may take.",
                remedy: "Make it 45s or more: a lease that ends during the call lets a second purchase begin."
            )
        ]
    }

    /// A charge or a refund and the look at what came of it; a purchase takes its lease less five seconds.
    private static let paymentTime = 50

    private static func drain(_ settings: ExaminedSettings) -> [Finding] {
        let needed = max(paymentTime, settings.seconds("session.lease").map { $0 - 5 } ?? 0)
        func short(_ setting: String, _ effect: String, remedy: String) -> [Finding] {
            guard let length = settings.seconds(setting), length < needed else { return [] }
            let text = "\(length) s is shorter than the \(needed) s that a call that moves money may take: \(effect)."
            return [Finding("D48", .warning, setting, text, remedy: remedy)]
        }
        return short(
            "limits.drain",
            "a stop leaves its outcome unknown",
            remedy: "Make it 60s, and give the process 75 s to stop (terminationGracePeriodSeconds, TimeoutStopSec)."
        )
            + short(
                "limits.handler_deadline",
                "the client gets 503 before its outcome is known",
                remedy: "Make it 55s, or longer than session.lease where that is longer."
            )
    }

    private static func trail(_ settings: ExaminedSettings) -> [Finding] {
        let setting = "session.trail_secret"
        let least = CheckoutSettings.leastKeyByteCount
        func finding(_ severity: Severity, _ message: String, remedy: String) -> [Finding] {
            [Finding("D50", severity, setting, message, remedy: remedy)]
        }
        let making =
            "`(umask 077; head -c 48 /dev/urandom > FILE)`, readable by the program's user, the same on all machines"
        switch settings.files[setting] {
        case .content(let content)?:
            let count = content.reveal().count
            guard count < least else { return [] }
            return finding(
                .error,
                "\(settings.text(setting)) has \(count) bytes, but needs at least \(least).",
                remedy: "Make one by \(making)."
            )
        case .unreadable(let why)?:
            return finding(
                .error,
                "\(settings.text(setting)) cannot be read: \(why).",
                remedy: "Name a file that the program's user may read, and nobody else. Make one by \(making)."
            )
        case .written?: return [.written("D50", setting)]
        case nil:
            return finding(
                settings.isProduction ? .warning : .note,
                "It is not set, so `audit` cannot tell rows that somebody adds to the audit trail from the program's.",
                remedy: "Make one by \(making), for the service and all commands. Rows from before stay unmarked."
            )
        }
    }

    private static func profile(_ settings: ExaminedSettings) -> [Finding] {
        guard settings.text("profile") == "compat", settings.isProduction else { return [] }
        return [
            Finding(
                "D18",
                .warning,
                "profile",
                "Profile compat does not require the app's proof.",
                remedy: "Use it for the time of a migration only, then standard."
            )
        ]
    }
}
