import Settings

/// What the words of a command line ask for.
package struct CommandLineArguments: Sendable, Equatable {
    /// The command's name; `nil` where only the program was named.
    package private(set) var command: String?
    /// Words that are no options, in order, the command left out.
    package private(set) var operands: [String] = []
    /// Values of options that take one, by name without dashes.
    package private(set) var values: [String: String] = [:]
    /// Options without a value, by name without dashes.
    package private(set) var flags: Set<String> = []

    /// The command line could not be read; the text says why.
    package struct Problem: Error, Equatable {
        /// For people.
        package let text: String
    }

    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - words: Everything behind the program's name.
    /// - Throws: For an unknown option, a missing value, a value where none belongs, or the content of a file where its path
    ///   belongs; no text holds the value of an option.
    package init(_ words: [String], options: [CommandOption]) throws(Problem) {
        // Before anything is said of any word: what is not known is repeated on the terminal.
        for (place, word) in words.enumerated() {
            if let text = CommandLineArguments.pasted(word, behind: place == 0 ? "" : words[place - 1]) {
                throw Problem(text: text)
            }
        }
        var index = 0
        var onlyOperands = false
        while index < words.count {
            let word = words[index]
            index += 1
            if onlyOperands || !word.hasPrefix("-") || word == "-" {
                take(word)
            } else if word == "--" {
                onlyOperands = true
            } else {
                try takeOption(word, words, &index, options)
            }
        }
    }

    /// Says where the content of a file stands, without a word of it; `nil` for a word that is none.
    private static func pasted(_ word: String, behind before: String) -> String? {
        var (option, value) = (before, word)
        if word.hasPrefix("--"), !word.hasPrefix("---"), let mark = word.firstIndex(of: "=") {
            (option, value) = (String(word[..<mark]), String(word[word.index(after: mark)...]))
        }
        guard PathText.isContent(value) else { return nil }
        guard option.hasPrefix("--"), !PathText.isContent(option) else {
            return "an argument is the content of a file, not its path"
        }
        return "\(option) holds the content of a file itself, not a path"
    }

    private mutating func take(_ word: String) {
        if command == nil {
            command = word
        } else {
            operands.append(word)
        }
    }

    private mutating func takeOption(
        _ word: String,
        _ words: [String],
        _ index: inout Int,
        _ options: [CommandOption]
    ) throws(Problem) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let short = ["-h": "help", "-v": "version"][parts[0]]
        let name = short ?? String(parts[0].drop { $0 == "-" })
        guard short != nil || parts[0].hasPrefix("--"), let option = options.first(where: { $0.name == name })
        else {
            throw Problem(text: "no such option: \(parts[0])")
        }
        guard option.placeholder != nil else {
            flags.insert(name)
            guard parts.count == 2 else { return }
            guard option.forms.contains(parts[1]) else {
                let known = option.forms.map { ", or --\(name)=\($0)" }.joined()
                throw Problem(text: "--\(name) takes no value\(known)")
            }
            values[name] = parts[1]
            return
        }
        if parts.count == 2 {
            values[name] = parts[1]
        } else if index < words.count {
            values[name] = words[index]
            index += 1
        } else {
            throw Problem(text: "--\(name) needs a value")
        }
    }
}

/// One option of a command.
package struct CommandOption: Sendable, Equatable {
    /// Without dashes.
    package let name: String
    /// What stands for the value in the help text; `nil` for an option without one.
    package let placeholder: String?
    /// The values that an option without a placeholder may have behind `=`; most have none.
    package let forms: [String]
    /// One line for people.
    package let meaning: String

    /// An option; without a placeholder it takes no value, or one of the forms behind `=`.
    package init(_ name: String, _ placeholder: String? = nil, forms: [String] = [], _ meaning: String) {
        self.name = name
        self.placeholder = placeholder
        self.forms = forms
        self.meaning = meaning
    }

    /// What stands behind the name in the help text.
    var form: String {
        if let placeholder { return " " + placeholder }
        return forms.isEmpty ? "" : "[=" + forms.joined(separator: "|") + "]"
    }
}
