package import EventIO
package import Primitives
package import StrictJSON

// The typed reads. Each declares the setting: name, bounds or words, default as in the documents, one line for people.

extension SettingReader {
    /// The text.
    ///
    /// - Parameter takes: The form that the caller checks, for the documents.
    package mutating func text(
        _ name: String,
        _ fallback: String,
        _ meaning: String,
        takes: String = "text"
    ) -> String {
        read(Setting(name, .text(takes: takes), fallback, meaning))
    }

    /// A text that is printed nowhere; `nil` where it is empty.
    package mutating func secret(_ name: String, _ meaning: String) -> Secret<String>? {
        let text = read(Setting(name, .text(takes: "text"), "", meaning, isSecret: true))
        return text.isEmpty ? nil : Secret(text)
    }

    /// The path of a folder, which need not exist.
    package mutating func folder(_ name: String, _ fallback: String, _ meaning: String) -> String {
        read(Setting(name, .folder, fallback, meaning))
    }

    /// The path of a file that everybody may read; empty for none.
    package mutating func file(_ name: String, _ meaning: String) -> String {
        read(Setting(name, .file, "", meaning))
    }

    /// The path of a file for `SecretFile`; empty for none.
    package mutating func secretFile(_ name: String, _ meaning: String) -> String {
        read(Setting(name, .secretFile, "", meaning))
    }

    /// The whole number; the lower bound after a problem.
    package mutating func number(
        _ name: String,
        _ bounds: ClosedRange<Int>,
        _ fallback: Int,
        _ meaning: String
    ) -> Int {
        let text = Array(read(Setting(name, .number(bounds), "\(fallback)", meaning)).utf8)
        guard let value = DecimalDigits.parse(text.span, limit: bounds.upperBound), bounds.contains(value) else {
            complain(name, "not a whole number from \(bounds.lowerBound) to \(bounds.upperBound)")
            return bounds.lowerBound
        }
        return value
    }

    /// The duration; the lower bound after a problem.
    ///
    /// - Parameters:
    ///   - bounds: In seconds.
    ///   - fallback: The default, in whole seconds.
    package mutating func duration(
        _ name: String,
        _ bounds: ClosedRange<Int>,
        _ fallback: Duration,
        _ meaning: String
    ) -> Duration {
        let text = read(Setting(name, .duration(bounds), DurationText.text(fallback), meaning))
        guard let seconds = DurationText.seconds(text, in: bounds) else {
            complain(name, "not a duration from \(bounds.lowerBound)s to \(bounds.upperBound)s, such as 90s, 15m or 2h")
            return .seconds(bounds.lowerBound)
        }
        return .seconds(seconds)
    }

    /// True or false; false after a problem.
    ///
    /// - Parameter isOnlyVariable: Whether a file cannot set it.
    package mutating func flag(
        _ name: String,
        _ fallback: Bool,
        _ meaning: String,
        isOnlyVariable: Bool = false
    ) -> Bool {
        let text = read(Setting(name, .flag, "\(fallback)", meaning, isOnlyVariable: isOnlyVariable))
        if text != "true", text != "false" { complain(name, "neither true nor false") }
        return text == "true"
    }

    /// The word chosen; the first one after a problem.
    ///
    /// - Parameter words: Those allowed; an empty one is not named to people.
    package mutating func choice(
        _ name: String,
        _ words: [String],
        _ fallback: String,
        _ meaning: String
    ) -> String {
        let text = read(Setting(name, .choice(words), fallback, meaning))
        guard !words.contains(text) else { return text }
        complain(name, "not one of \(words.filter { !$0.isEmpty }.joined(separator: ", "))")
        return words.first ?? ""
    }

    /// The case chosen; the first one after a problem.
    package mutating func choice<Word: RawRepresentable<String>>(
        _ name: String,
        _ words: [Word],
        _ fallback: Word,
        _ meaning: String
    ) -> Word {
        Word(rawValue: choice(name, words.map(\.rawValue), fallback.rawValue, meaning)) ?? fallback
    }

    /// The case chosen, or what another setting has come to where this one is empty or wrong; that is then printed.
    package mutating func choice<Word: RawRepresentable<String>>(
        _ name: String,
        _ words: [Word],
        otherwise other: Word,
        _ meaning: String
    ) -> Word {
        let word = Word(rawValue: choice(name, [""] + words.map(\.rawValue), "", meaning)) ?? other
        resolve(name, as: word.rawValue)
        return word
    }

    /// The words of a list, blanks around them removed.
    package mutating func list(_ name: String, _ fallback: String, _ meaning: String) -> [String] {
        read(Setting(name, .list, fallback, meaning)).split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
    }

    /// The address, or `nil` where the setting is empty or wrong.
    package mutating func address(_ name: String, _ fallback: String, _ meaning: String) -> SocketAddress? {
        let text = read(Setting(name, .address, fallback, meaning))
        guard !text.isEmpty else { return nil }
        guard let address = SocketAddress(text) else {
            complain(name, "not an address and port, such as 127.0.0.1:8443 or [::1]:8443")
            return nil
        }
        return address
    }

    /// The objects of an array.
    package mutating func objects(_ name: String, _ meaning: String) -> [JSONValue] {
        readObjects(Setting(name, .objects, "[]", meaning))
    }
}

extension Substring {
    /// The text without blanks at both ends.
    fileprivate var trimmed: String {
        var rest = self
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
