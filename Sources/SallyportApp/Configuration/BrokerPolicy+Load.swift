import SessionBroker

extension BrokerPolicy {
    /// Reads the rules of a flow; what a setting leaves empty is as the profile has it.
    ///
    /// - Parameter reader: Is told what every setting came out as.
    init(_ reader: inout SettingReader) {
        self.init(profile: Profile(rawValue: reader.choice("profile")) ?? .standard)
        reader.override(&openMode, "open.mode")
        reader.override(&fetchSite, "open.fetch_site")
        reader.override(&onReuse, "session.on_reuse")
        reader.override(&appProof, "proof.app")
        reader.override(&verifier, "proof.verifier")
        reader.override(&cookieNames, "cookies.names")
        let cleanURL = reader.choice("open.clean_url")
        if !cleanURL.isEmpty { opensToCleanURL = cleanURL == "true" }
        reader.resolve("open.clean_url", as: opensToCleanURL ? "true" : "false")
        times.launch = reader.duration("session.launch")
        times.reopenWindow = reader.duration("open.reopen_window")
        times.idle = reader.duration("session.idle")
        times.absolute = reader.duration("session.absolute")
        times.receipt = reader.duration("session.receipt")
        times.lease = reader.duration("session.lease")
        limits.issuesPerMinute = reader.number("limits.issue_per_minute")
        limits.flowsPerInstall = reader.number("limits.flows_per_app")
        limits.flowsTotal = reader.number("limits.flows_total")
        limits.unknownPerMinute = reader.number("limits.unknown_per_minute")
    }
}

extension SettingReader {
    /// Takes the word of a setting, or records the profile's where the setting is empty.
    fileprivate mutating func override<Word: RawRepresentable<String>>(_ word: inout Word, _ name: String) {
        if let chosen = Word(rawValue: choice(name)) { word = chosen }
        resolve(name, as: word.rawValue)
    }
}
