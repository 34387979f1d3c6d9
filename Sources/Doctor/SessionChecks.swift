import Operations

/// D16, D18, D48: the rules of a webview session, and of what is under way when the program stops.
enum SessionChecks {
    static func findings(_ facts: SettingFacts) -> [Finding] {
        order(facts) + lease(facts) + profile(facts) + drain(facts)
    }

    private static func order(_ facts: SettingFacts) -> [Finding] {
        let names = ["session.launch", "session.idle", "session.absolute"]
        return zip(names, names.dropFirst()).compactMap { shorter, longer in
            guard let first = facts.seconds(shorter), let second = facts.seconds(longer), first > second else {
                return nil
            }
            return Finding(
                "D16",
                .error,
                "session.idle",
                "\(shorter), \(facts.text(shorter)), is longer than \(longer), \(facts.text(longer)).",
                remedy: "Launch, idle and absolute must not decrease in this order; 5m, 30m and 2h are the defaults."
            )
        }
    }

    /// How long one call that completes a payment may take.
    private static let providerTimeout = 30

    private static func lease(_ facts: SettingFacts) -> [Finding] {
        guard let lease = facts.seconds("session.lease"), lease <= providerTimeout else { return [] }
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

    private static func drain(_ facts: SettingFacts) -> [Finding] {
        let needed = max(paymentTime, facts.seconds("session.lease").map { $0 - 5 } ?? 0)
        guard let drain = facts.seconds("limits.drain"), drain < needed else { return [] }
        return [
            Finding(
                "D48",
                .warning,
                "limits.drain",
                "\(drain) s is shorter than the \(needed) s that a call that moves money may take: a stop leaves its outcome unknown.",
                remedy:
                    "Make it 60s, and give the process 75 s to stop (terminationGracePeriodSeconds, TimeoutStopSec)."
            )
        ]
    }

    private static func profile(_ facts: SettingFacts) -> [Finding] {
        guard facts.text("profile") == "compat", facts.isProduction else { return [] }
        return [
            Finding(
                "D18",
                .warning,
                "profile",
                "compat does not ask for the app's proof.",
                remedy: "Use it for the time of a migration only, then standard."
            )
        ]
    }
}
