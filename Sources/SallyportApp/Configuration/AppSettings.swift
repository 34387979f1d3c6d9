import Settings
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

    init(_ read: inout SettingReader) {
        let ios = read.objects("apps.ios", "[{prefix, bundle, services, clip}]")
        let android = read.objects("apps.android", "[{package, fingerprints, relations, dynamic}]")
        for (index, item) in ios.enumerated() {
            var object = ObjectReader(item)
            let app = IOS(
                prefix: object.text("prefix"),
                bundle: object.text("bundle"),
                services: object.list("services") ?? ["applinks", "webcredentials"],
                isClip: object.flag("clip")
            )
            for problem in object.problems { read.complain("apps.ios", item: index, problem) }
            self.ios.append(app)
        }
        for (index, item) in android.enumerated() {
            var object = ObjectReader(item)
            let app = Android(
                package: object.text("package"),
                fingerprints: object.list("fingerprints") ?? [],
                isDynamic: object.flag("dynamic")
            )
            for problem in object.problems { read.complain("apps.android", item: index, problem) }
            self.android.append(app)
        }
    }
}

/// Reads the members of one object and notices those that nobody asked for.
private struct ObjectReader {
    private var members: [JSONMember] = []
    private var found: [String] = []

    init(_ value: JSONValue) {
        if case .object(let members) = value {
            self.members = members
        } else {
            found.append("not an object")
        }
    }

    mutating func text(_ key: String) -> String {
        guard let text = take(key)?.scalarText, !text.isEmpty else {
            found.append("\(key) is missing")
            return ""
        }
        return text
    }

    mutating func flag(_ key: String) -> Bool {
        guard let value = take(key) else { return false }
        if case .bool(let flag) = value { return flag }
        found.append("\(key) is neither true nor false")
        return false
    }

    mutating func list(_ key: String) -> [String]? {
        guard let value = take(key) else { return nil }
        if case .array(let items) = value { return items.compactMap(\.scalarText) }
        found.append("\(key) is not an array")
        return nil
    }

    private mutating func take(_ key: String) -> JSONValue? {
        guard let index = members.firstIndex(where: { $0.name == key }) else { return nil }
        return members.remove(at: index).value
    }

    /// What is wrong with what was read, then what nobody read.
    var problems: [String] { found + members.map { "\($0.name) is no member" } }
}
