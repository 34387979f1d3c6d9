package import Primitives

/// The rules of a broker: times, limits and how strict it is.
///
/// Start from a profile and change what a deployment needs. The times are enforced by the database with its own clock.
package struct BrokerPolicy: Sendable {
    /// Which profile the defaults come from.
    package let profile: Profile
    /// How a launch ticket opens its tab; `get`, in strict `tap`.
    package var openMode: OpenMode
    /// Whether the open answers 303 to a URL without the ticket; true, in compat false.
    package var opensToCleanURL: Bool
    /// What is done about `Sec-Fetch-Site` at the open; `observe`, in strict `enforce`.
    package var fetchSite: FetchSiteRule
    /// What follows when a launch ticket is used twice; `revoke`.
    package var onReuse: Reaction
    /// What follows when a proof does not fit at the purchase; `revoke`, in compat `refuse`.
    package var onMismatch: Reaction
    /// Whether a purchase of an app client needs the app proof; `required`, in compat `optional`.
    package var appProof: Requirement
    /// Whether an app client must bind a verifier at the issue; `optional`, in strict `required`.
    package var verifier: Requirement
    /// Whether an app client must come back to the app before the order is placed; only in strict.
    package var requiresMeeting: Bool
    /// Which names the cookies have; `host`, in compat `plain`.
    package var cookieNames: CookieNames
    /// What rows of the audit trail are marked under; `nil` leaves them without a mark.
    package var trailKey: Secret<[UInt8]>?
    /// How long everything lives.
    package var times = Times()
    /// How much an untrusted client may ask for.
    package var limits = Limits()

    /// The defaults of a profile.
    package init(profile: Profile = .standard) {
        let isCompat = profile == .compat
        let isStrict = profile == .strict
        self.profile = profile
        openMode = isStrict ? .tap : .get
        opensToCleanURL = !isCompat
        fetchSite = isStrict ? .enforce : .observe
        onReuse = .revoke
        onMismatch = isCompat ? .refuse : .revoke
        appProof = isCompat ? .optional : .required
        verifier = isStrict ? .required : .optional
        requiresMeeting = isStrict
        cookieNames = isCompat ? .plain : .host
    }
}

extension BrokerPolicy {
    /// How strict it is, in words: what has to be the same for all programs of a database.
    ///
    /// Times and limits are not among them, but for the time of the second open.
    package var words: String {
        [
            "open.mode=\(openMode.rawValue)", "open.fetch_site=\(fetchSite.rawValue)",
            "open.reopen_window=\(times.reopenWindow.components.seconds)", "session.on_reuse=\(onReuse.rawValue)",
            "on_mismatch=\(onMismatch.rawValue)", "proof.app=\(appProof.rawValue)",
            "proof.verifier=\(verifier.rawValue)", "meeting=\(requiresMeeting)",
            "cookies.names=\(cookieNames.rawValue)",
        ].joined(separator: " ")
    }

    /// What is in force behind a start with this policy.
    ///
    /// - Parameters:
    ///   - words: What was in force, in the form of `words`; names that are not known here are kept.
    ///   - replaces: Whether this policy's values take the place of others.
    /// - Returns: In the same order, with the names that were missing behind.
    package func words(over words: String, replacing replaces: Bool) -> String {
        let own = self.words.split(separator: " ")
        func name(_ word: Substring) -> Substring { word.prefix { $0 != "=" } }
        let found = words.split(separator: " ")
        let kept = found.map { word in (replaces ? own.first { name($0) == name(word) } : nil) ?? word }
        let missing = own.filter { word in !found.contains { name($0) == name(word) } }
        return (kept + missing).joined(separator: " ")
    }

    /// How long everything lives; whole seconds.
    package struct Times: Sendable {
        /// From the issue to the open: 5 minutes, below the ceiling of 10 minutes for codes in OAuth; the app opens at once.
        package var launch = Duration.seconds(300)
        /// In which an answer that was lost may be asked for once more: 15 seconds.
        package var reopenWindow = Duration.seconds(15)
        /// Between two requests of the tab: 30 minutes, long enough for a step-up by SMS or mail at the provider.
        package var idle = Duration.seconds(1_800)
        /// From the issue to the end: 2 hours; a checkout is short.
        package var absolute = Duration.seconds(7_200)
        /// One try at the provider: 45 seconds, longer than the provider's timeout of 30.
        package var lease = Duration.seconds(45)
        /// The thanks page after success: 15 minutes.
        package var receipt = Duration.seconds(900)
        /// The cookie with the app proof: 12 hours.
        package var appProof = Duration.seconds(43_200)
        /// How much later a deadline must become before a tab request writes it: one minute, and a quarter of a short `idle`,
        /// so that a buyer who does something in each half of it stays in.
        package var touch: Duration { min(.seconds(60), .seconds(max(1, idle.components.seconds / 4))) }
        /// In which a dead webview session is answered without asking the database: one minute.
        package var endedCache = Duration.seconds(60)
        /// Rows without personal data, after the end of their month: 90 days.
        package var keepWebviewSessions = Duration.seconds(90 * 86_400)
        /// Sealed personal data, after the end of their day: one day.
        package var keepPrivate = Duration.seconds(86_400)

        /// The defaults above.
        package init() {}
    }

    /// How much an untrusted client may ask for; counted by this process alone.
    package struct Limits: Sendable {
        /// Issues per minute and address, with a burst of as many; 600, phones share addresses; `nil` is no limit.
        package var issuesPerMinute: Int? = 600
        /// Live webview sessions of one install: 10; `nil` is no limit.
        package var sessionsPerInstall: Int? = 10
        /// Live webview sessions altogether: a million; `nil` is no limit.
        package var sessionsTotal: Int? = 1_000_000
        /// Unknown tokens and missing proofs per minute and address: 20; `nil` is no limit.
        package var unknownPerMinute: Int? = 20

        /// The defaults above.
        package init() {}
    }
}
