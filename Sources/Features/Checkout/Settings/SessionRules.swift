import ServerCore
import SessionBroker
import Settings

/// The rules of a session, with what the profile leaves open filled in.
struct SessionRules: Sendable {
    private(set) var policy: BrokerPolicy
    /// Whether the rules may take the place of those that programs of the database work under.
    let allowsChange: Bool
    /// The file of the key that the trail is marked under; empty for none.
    let trailSecretPath: String

    init(_ read: inout SettingReader) {
        let rules = read.within(.database) { SessionRules(stored: &$0) }
        policy = rules.policy
        allowsChange = rules.allowsChange
        trailSecretPath = rules.trailSecretPath
        policy.limits.issuesPerMinute = read.limit(
            "limits.issue_per_minute",
            1...10_000_000,
            policy.limits.issuesPerMinute,
            "new sessions a minute per client address"
        )
        policy.limits.sessionsPerInstall = read.limit(
            "limits.webview_sessions_per_app",
            1...1000,
            policy.limits.sessionsPerInstall,
            "live webview sessions per app install"
        )
        policy.limits.sessionsTotal = read.limit(
            "limits.webview_sessions_total",
            1...1_000_000_000,
            policy.limits.sessionsTotal,
            "live webview sessions in total: those that can still be opened or used"
        )
    }

    /// Reads what counts for sessions that are stored, and so for every command that works on them.
    private init(stored read: inout SettingReader) {
        let profile = read.choice(
            "profile",
            Profile.allCases,
            .standard,
            "how strictly sessions are guarded: docs/profiles.md"
        )
        policy = BrokerPolicy(profile: profile)
        policy.openMode = read.choice(
            "open.mode",
            [.get, .autoPost, .tap],
            otherwise: policy.openMode,
            "how a launch ticket opens; empty: by profile"
        )
        let cleanURL = read.choice(
            "open.clean_url",
            ["", "true", "false"],
            "",
            "answer an open with a redirect; empty: by profile"
        )
        if !cleanURL.isEmpty { policy.opensToCleanURL = cleanURL == "true" }
        read.resolve("open.clean_url", as: "\(policy.opensToCleanURL)")
        policy.fetchSite = read.choice(
            "open.fetch_site",
            [.off, .observe, .enforce],
            otherwise: policy.fetchSite,
            "effect of another site's Sec-Fetch-Site at the open; empty: by profile"
        )
        policy.times = SessionRules.times(&read)
        allowsChange = read.flag(
            "session.allow_policy_change",
            false,
            "replace the rules that are recorded in the database for all its processes; set it only while you change them"
        )
        trailSecretPath = read.secretFile(
            "session.trail_secret",
            "file of 32 bytes or more that processes and commands share; marks the rows of the audit trail, so that others can be told from them"
        )
        policy.onReuse = read.choice(
            "session.on_reuse",
            [.revoke, .refuse],
            otherwise: policy.onReuse,
            "effect of a used launch ticket on its webview session; empty: by profile"
        )
        policy.appProof = read.choice(
            "proof.app",
            [.required, .optional],
            otherwise: policy.appProof,
            "whether the purchase of an app needs the app proof; empty: by profile"
        )
        policy.verifier = read.choice(
            "proof.verifier",
            [.required, .optional],
            otherwise: policy.verifier,
            "whether sessions of apps and sites need a challenge and a verifier (S256, RFC 7636); empty: by profile"
        )
        policy.cookieNames = read.choice(
            "cookies.names",
            [.host, .plain],
            otherwise: policy.cookieNames,
            "`__Host-` names or plain ones; empty: by profile"
        )
    }

    /// The lives of what is stored.
    private static func times(_ read: inout SettingReader) -> BrokerPolicy.Times {
        var times = BrokerPolicy.Times()
        times.reopenWindow = read.duration(
            "open.reopen_window",
            0...60,
            times.reopenWindow,
            "time in which a ticket may open once more after a lost answer"
        )
        times.launch = read.duration("session.launch", 10...600, times.launch, "lifetime of a launch ticket")
        times.idle = read.duration(
            "session.idle",
            60...7200,
            times.idle,
            "lifetime of a webview session without a request"
        )
        times.absolute = read.duration("session.absolute", 60...43_200, times.absolute, "lifetime of a webview session")
        times.receipt = read.duration(
            "session.receipt",
            60...3600,
            times.receipt,
            "lifetime of the thanks page"
        )
        times.lease = read.duration(
            "session.lease",
            31...600,
            times.lease,
            "lease of one purchase call on a webview session"
        )
        return times
    }
}

extension SettingReader {
    /// The number; where there is no limit by default, the default is the upper bound.
    fileprivate mutating func limit(
        _ name: String,
        _ bounds: ClosedRange<Int>,
        _ fallback: Int?,
        _ meaning: String
    ) -> Int {
        number(name, bounds, fallback ?? bounds.upperBound, meaning)
    }
}
