package import Pages
import Settings

/// The mobile apps that the return link opens.
package struct AppSettings: Sendable, Equatable {
    /// One iOS app.
    package struct IOS: Sendable, Equatable {
        /// Ten characters; usually the team id.
        package let prefix: String
        /// The bundle identifier.
        package let bundle: String
        /// Service keys of the association file; `applinks` and `webcredentials` unless set.
        package let services: [String]
        /// True for an app clip.
        package let isClip: Bool
        /// Where the app is found in the store; `nil` where nothing is said.
        package var store: LinkTarget?
    }

    /// One Android app.
    package struct Android: Sendable, Equatable {
        /// The application id.
        package let package: String
        /// SHA-256 of the signing certificates, `AA:BB:…`, 32 bytes each.
        package let fingerprints: [String]
        /// True to add the components form that Android 15 reads.
        let isDynamic: Bool
        /// Where the app is found in the store; `nil` where nothing is said.
        package var store: LinkTarget?
    }

    /// Those of `apps.ios`.
    package private(set) var ios: [IOS] = []
    /// Those of `apps.android`.
    package private(set) var android: [Android] = []

    init(_ read: inout SettingReader) {
        let ios = read.objects("apps.ios", "[{prefix, bundle, services, clip, store_url}]")
        let android = read.objects("apps.android", "[{package, fingerprints, relations, dynamic, store_url}]")
        for (index, item) in ios.enumerated() {
            var object = ObjectReader(item)
            let app = IOS(
                prefix: object.text("prefix"),
                bundle: object.text("bundle"),
                services: object.list("services") ?? ["applinks", "webcredentials"],
                isClip: object.flag("clip"),
                store: object.store()
            )
            for problem in object.problems { read.complain("apps.ios", item: index, problem) }
            self.ios.append(app)
        }
        for (index, item) in android.enumerated() {
            var object = ObjectReader(item)
            let app = Android(
                package: object.text("package"),
                fingerprints: object.list("fingerprints") ?? [],
                isDynamic: object.flag("dynamic"),
                store: object.store()
            )
            for problem in object.problems { read.complain("apps.android", item: index, problem) }
            self.android.append(app)
        }
    }
}

extension ObjectReader {
    fileprivate mutating func store() -> LinkTarget? {
        guard let text = optionalText("store_url") else { return nil }
        if text.hasPrefix("https://"), let target = LinkTarget(text) { return target }
        complain("store_url", "not an https address")
        return nil
    }
}
