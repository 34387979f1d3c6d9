import AmazonPay
import EventIO
import Primitives
import Settings
import StrictJSON

/// Reads typed values out of a source and collects every problem instead of stopping at the first.
struct SettingReader {
    private let source: SettingSource
    /// By the setting that each is about; `nil` for the file or the environment as a whole.
    private var found: [(setting: String?, text: String)]
    /// Name and text of every setting that was read, in the table's order once printed.
    private(set) var effective: [String: String] = [:]
    /// The settings that hold what should stand in a file; they read as empty.
    private(set) var contents: Set<String> = []

    init(_ source: SettingSource) {
        self.source = source
        found = source.problems.map { (nil, $0) }
    }

    /// What is wrong, `name: what is wrong`, one line each.
    ///
    /// - Parameter scope: The settings that matter.
    /// - Returns: Their problems, and those of the file and the environment as a whole.
    func problems(of scope: SettingScope) -> [String] {
        found.filter { problem in problem.setting.map(scope.includes) ?? true }.map(\.text)
    }

    /// Whether nothing is wrong with any of some settings so far, so that rules about several of them have something to go by.
    ///
    /// - Parameter names: The settings.
    func areSound(_ names: String...) -> Bool {
        !found.contains { problem in problem.setting.map(names.contains) ?? false }
    }

    /// Notes a problem of a setting.
    ///
    /// - Parameters:
    ///   - name: The setting.
    ///   - text: What is wrong, without the value where it is secret.
    mutating func complain(_ name: String, _ text: String) {
        found.append((name, "\(name): \(text)"))
    }

    /// The text of a setting; its default where nothing is set.
    ///
    /// Where a path is meant and the content of a file is there, it stays here: a path is printed wherever it leads to nothing.
    mutating func text(_ name: String) -> String {
        let setting = SettingReader.setting(name)
        let text = source.texts[name] ?? setting.fallback
        if setting.kind == .path, PathText.isContent(text) {
            if contents.insert(name).inserted { complain(name, "holds \(SettingReader.noun(name)) itself, not a path") }
            effective[name] = ""
            return ""
        }
        effective[name] = text
        return text
    }

    private static func noun(_ name: String) -> String {
        name.contains("key") ? "the key" : name.contains("secret") ? "the secret" : "the content of the file"
    }

    /// The folder, looked for beside the program where nothing is set.
    ///
    /// - Parameters:
    ///   - name: The setting.
    ///   - folder: What it is called beside the program.
    /// - Returns: A path that may not exist.
    mutating func folder(_ name: String, _ folder: String) -> String {
        let text = text(name)
        guard text.isEmpty else { return text }
        let found = ProgramFolder.find(folder)
        resolve(name, as: found)
        return found
    }

    /// The word chosen; the first allowed one after a problem.
    mutating func choice(_ name: String) -> String {
        let text = text(name)
        guard case .choice(let words) = SettingReader.setting(name).kind, !words.contains(text) else { return text }
        complain(name, "not one of \(words.filter { !$0.isEmpty }.joined(separator: ", "))")
        return words.first ?? ""
    }

    /// Records what a setting that was left to the profile came out as.
    mutating func resolve(_ name: String, as text: String) {
        effective[name] = text
    }

    /// The whole number; the lower bound after a problem.
    mutating func number(_ name: String) -> Int {
        guard case .number(let bounds) = SettingReader.setting(name).kind else { return 0 }
        let text = Array(text(name).utf8)
        guard let value = DecimalDigits.parse(text.span, limit: bounds.upperBound), bounds.contains(value) else {
            complain(name, "not a whole number from \(bounds.lowerBound) to \(bounds.upperBound)")
            return bounds.lowerBound
        }
        return value
    }

    /// The rate, or `nil` where the setting is empty or wrong.
    mutating func callRate(_ name: String) -> CallRate? {
        let text = text(name)
        guard !text.isEmpty else { return nil }
        let rate = CallRate(text)
        if rate == nil { complain(name, "not calls at once and calls a second, such as 36/7.2") }
        return rate
    }

    /// The duration; the lower bound after a problem.
    mutating func duration(_ name: String) -> Duration {
        guard case .duration(let bounds) = SettingReader.setting(name).kind else { return .zero }
        let text = text(name)
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600]
        let unit = text.last.flatMap { units[$0] }
        let digits = Array((unit == nil ? text : String(text.dropLast())).utf8)
        guard let count = DecimalDigits.parse(digits.span, limit: 1_000_000), bounds.contains(count * (unit ?? 1))
        else {
            complain(name, "not a duration from \(bounds.lowerBound)s to \(bounds.upperBound)s, such as 90s, 15m or 2h")
            return .seconds(bounds.lowerBound)
        }
        return .seconds(count * (unit ?? 1))
    }

    /// True or false; false after a problem.
    mutating func flag(_ name: String) -> Bool {
        let text = text(name)
        if text != "true", text != "false" { complain(name, "neither true nor false") }
        return text == "true"
    }

    /// The words of a list, blanks around them removed.
    mutating func list(_ name: String) -> [String] {
        text(name).split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty }
    }

    /// The address, or `nil` where the setting is empty or wrong.
    mutating func address(_ name: String) -> SocketAddress? {
        let text = text(name)
        guard !text.isEmpty else { return nil }
        guard let address = SocketAddress(text) else {
            complain(name, "not an address and port, such as 127.0.0.1:8443 or [::1]:8443")
            return nil
        }
        return address
    }

    /// The origin; a placeholder after a problem.
    mutating func origin(_ name: String) -> WebOrigin {
        guard let origin = WebOrigin(text(name)) else {
            complain(name, "not an origin, such as https://pay.example.com (lower case, no path)")
            return WebOrigin.placeholder
        }
        return origin
    }

    /// The objects of an array setting.
    mutating func objects(_ name: String) -> [JSONValue] {
        let items = source.objects[name] ?? []
        effective[name] = "(\(items.count) entries)"
        return items
    }

    private static func setting(_ name: String) -> Setting {
        guard let setting = SettingTable.all.first(where: { $0.name == name }) else {
            preconditionFailure("the table of settings has no \(name)")
        }
        return setting
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
