package import Primitives
package import StrictJSON

/// A pass as a phone has opened it.
package struct OpenedCard: Sendable {
    /// The content of `pass.json`.
    package let json: JSONValue
    /// Texts by language and key.
    package let strings: [OctetText: [OctetText: String]]
    /// Files of the archive by name.
    package let files: [OctetText: [UInt8]]

    /// A pass that was opened.
    package init(json: JSONValue, strings: [OctetText: [OctetText: String]] = [:], files: [OctetText: [UInt8]] = [:]) {
        self.json = json
        self.strings = strings
        self.files = files
    }
}

/// What a phone says to a file.
package enum CardVerdict: Sendable {
    /// It takes it.
    case good(OpenedCard)
    /// It refuses it, for these reasons.
    case bad([String])
}

/// Judges files of passes as a phone does.
package protocol CardJudge: Sendable {
    /// Judges a file, which may be anything.
    func judge(_ archive: [UInt8], at time: WallTime) -> CardVerdict
}
