import Settings

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
