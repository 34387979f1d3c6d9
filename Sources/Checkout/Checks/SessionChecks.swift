import Operations
import ServerCore

/// D16, D18, D48: the rules of a webview session, and of what is under way when the program stops.
enum SessionChecks {
    static func findings(_ settings: ExaminedSettings) -> [Finding] {
        order(settings) + lease(settings) + profile(settings) + drain(settings)
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
