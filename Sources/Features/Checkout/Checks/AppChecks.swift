import AppLinks
import Operations
import ServerCore

/// D04, D13, D14: the apps as they are set.
enum AppChecks {
    static func findings(_ apps: AppSettings, _ settings: ExaminedSettings) -> [Finding] {
        var found: [Finding] = []
        for (index, app) in apps.ios.enumerated() { found += ios("apps.ios[\(index)]", app) }
        for (index, app) in apps.android.enumerated() { found += android("apps.android[\(index)]", app, settings) }
        found += twice("D04", "apps.ios", apps.ios.map { $0.prefix + "." + $0.bundle })
        return found + twice("D14", "apps.android", apps.android.map(\.package))
    }

    private static func ios(_ setting: String, _ app: AppSettings.IOS) -> [Finding] {
        var found: [Finding] = []
        do throws(AppLinkError) {
            _ = try AppleApp(prefix: app.prefix, bundle: app.bundle, services: app.services, isClip: app.isClip)
        } catch {
            found += error.problems.map { problem in
                Finding(
                    "D04",
                    .error,
                    setting,
                    "The app id \(app.prefix).\(app.bundle) cannot be right: \(problem).",
                    remedy: "Copy prefix and bundle from the app's page at Apple: ABCDE12345 and com.example.shop."
                )
            }
        }
        if !app.services.contains("webcredentials"), !app.isClip {
            found.append(
                Finding(
                    "D13",
                    .error,
                    setting,
                    "webcredentials is missing in services: from iOS 17.4 on an authentication session with an https callback fails.",
                    remedy: "Add webcredentials to services, or leave services out."
                )
            )
        }
        return found
    }

    private static func android(
        _ setting: String,
        _ app: AppSettings.Android,
        _ settings: ExaminedSettings
    ) -> [Finding] {
        var found: [Finding] = []
        do throws(AppLinkError) {
            _ = try AndroidApp(package: app.package, fingerprints: app.fingerprints)
        } catch {
            found += error.problems.map { problem in
                Finding(
                    "D14",
                    .error,
                    setting,
                    "\(app.package): \(problem).",
                    remedy: "Copy package name and SHA-256 of the app signing key from the store's console."
                )
            }
        }
        guard settings.isProduction else { return found }
        for fingerprint in app.fingerprints.map({ $0.uppercased() }) {
            guard let owner = publicKeys[fingerprint] ?? placeholder(fingerprint) else { continue }
            found.append(
                Finding(
                    "D14",
                    .error,
                    setting,
                    "The fingerprint \(fingerprint.prefix(11))… is \(owner): anybody can sign an app with it.",
                    remedy: "Give the fingerprint of the app signing key from the store's console."
                )
            )
        }
        return found
    }

    private static func twice(_ check: String, _ setting: String, _ names: [String]) -> [Finding] {
        names.indices.filter { names[..<$0].contains(names[$0]) }.map { index in
            Finding(
                check,
                .error,
                "\(setting)[\(index)]",
                "\(names[index]) is there twice.",
                remedy: "Put all that belongs to an app into one entry."
            )
        }
    }

    /// Keys that come with development kits, whose private halves everybody has.
    private static let publicKeys: [String: String] = [
        "A4:0D:A8:0A:59:D1:70:CA:A9:50:CF:15:C1:8C:45:4D:47:A3:9B:26:98:9D:8B:64:0E:CD:74:5B:A7:1B:F5:DC":
            "the test key of Android's sources",
        "C8:A2:E9:BC:CF:59:7C:2F:B6:DC:66:BE:E2:93:FC:13:F2:FC:47:EC:77:BC:6B:2B:0D:52:C1:1F:51:19:2A:B8":
            "the platform test key of Android's sources",
        "FA:C6:17:45:DC:09:03:78:6F:B9:ED:E6:2A:96:2B:39:9F:73:48:F0:BB:6F:89:9B:83:32:66:75:91:03:3B:9C":
            "the debug key of React Native's template",
    ]

    /// A fingerprint of one byte over and over, as examples have it.
    private static func placeholder(_ fingerprint: String) -> String? {
        let pairs = Set(fingerprint.split(separator: ":"))
        return pairs.count == 1 ? "a placeholder" : nil
    }
}
