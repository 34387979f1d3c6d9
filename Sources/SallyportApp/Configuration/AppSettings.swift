import StrictJSON

/// The mobile apps that the return link opens.
struct AppSettings: Sendable, Equatable {
    /// One iOS app.
    struct IOS: Sendable, Equatable {
        /// Ten characters; usually the team id.
        let prefix: String
        let bundle: String
        /// Service keys of the association file; `applinks` and `webcredentials` unless set.
        let services: [String]
        /// True for an app clip.
        let isClip: Bool
    }

    /// One Android app.
    struct Android: Sendable, Equatable {
        let package: String
        /// SHA-256 of the signing certificates, `AA:BB:…`, 32 bytes each.
        let fingerprints: [String]
        /// True to add the components form that Android 15 reads.
        let isDynamic: Bool
    }

    private(set) var ios: [IOS] = []
    private(set) var android: [Android] = []

    init(_ reader: inout SettingReader) {
        for (index, item) in reader.objects("apps.ios").enumerated() {
            var object = ObjectReader(item, name: "apps.ios[\(index)]")
            let app = IOS(
                prefix: object.text("prefix"),
                bundle: object.text("bundle"),
                services: object.list("services") ?? ["applinks", "webcredentials"],
                isClip: object.flag("clip")
            )
            object.finish(&reader)
            ios.append(app)
        }
        for (index, item) in reader.objects("apps.android").enumerated() {
            var object = ObjectReader(item, name: "apps.android[\(index)]")
            let app = Android(
                package: object.text("package"),
                fingerprints: object.list("fingerprints") ?? [],
                isDynamic: object.flag("dynamic")
            )
            object.finish(&reader)
            android.append(app)
        }
    }
}

/// Reads the members of one object and notices those that nobody asked for.
private struct ObjectReader {
    private var members: [JSONMember] = []
    private var problems: [String] = []
    private let name: String

    init(_ value: JSONValue, name: String) {
        self.name = name
        if case .object(let members) = value {
            self.members = members
        } else {
            problems.append("not an object")
        }
    }

    mutating func text(_ key: String) -> String {
        guard let text = take(key)?.scalarText, !text.isEmpty else {
            problems.append("\(key) is missing")
            return ""
        }
        return text
    }

    mutating func flag(_ key: String) -> Bool {
        guard let value = take(key) else { return false }
        if case .bool(let flag) = value { return flag }
        problems.append("\(key) is neither true nor false")
        return false
    }

    mutating func list(_ key: String) -> [String]? {
        guard let value = take(key) else { return nil }
        if case .array(let items) = value { return items.compactMap(\.scalarText) }
        problems.append("\(key) is not an array")
        return nil
    }

    private mutating func take(_ key: String) -> JSONValue? {
        guard let index = members.firstIndex(where: { $0.name == key }) else { return nil }
        return members.remove(at: index).value
    }

    mutating func finish(_ reader: inout SettingReader) {
        problems += members.map { "\($0.name) is no member" }
        for problem in problems { reader.complain(name, problem) }
    }
}
