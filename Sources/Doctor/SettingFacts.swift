package import Primitives

/// What the settings say and what the files hold that they name; everything that the checks without a network look at.
///
/// Made of the texts rather than of a checked configuration, so that settings with which nothing would start can be examined.
package struct SettingFacts: Sendable {
    /// One iOS app.
    package struct IOSApp: Sendable {
        /// Application identifier prefix.
        package let prefix: String
        /// Bundle id.
        package let bundle: String
        /// Keys of the association file.
        package let services: [String]
        /// True for an app clip.
        package let isClip: Bool

        /// An app.
        ///
        /// - Parameters:
        ///   - prefix: Application identifier prefix.
        ///   - bundle: Bundle id.
        ///   - services: Keys of the association file.
        ///   - isClip: True for an app clip.
        package init(prefix: String, bundle: String, services: [String], isClip: Bool = false) {
            self.prefix = prefix
            self.bundle = bundle
            self.services = services
            self.isClip = isClip
        }
    }

    /// One Android app.
    package struct AndroidApp: Sendable {
        /// Package name.
        package let package: String
        /// SHA-256 of the signing certificates.
        package let fingerprints: [String]

        /// An app.
        ///
        /// - Parameters:
        ///   - package: Package name.
        ///   - fingerprints: SHA-256 of the signing certificates.
        package init(package: String, fingerprints: [String]) {
            self.package = package
            self.fingerprints = fingerprints
        }
    }

    /// A file that a setting names.
    package enum File: Sendable {
        /// What is in it.
        case content(Secret<[UInt8]>)
        /// Why it could not be read.
        case unreadable(String)
        /// There is no file: the setting holds what should be in it, and its text is not among the facts.
        case written
    }

    /// A public page, fetched to see what arrives of it.
    package struct Page: Sendable {
        /// True on the link host, false on the web host.
        package let isLink: Bool
        /// From the slash on.
        package let path: String
        /// The constant fields that the program sends with it; whatever nonce a policy has is of no account.
        package let fields: [(String, String)]

        /// A page.
        ///
        /// - Parameters:
        ///   - isLink: True on the link host.
        ///   - path: From the slash on.
        ///   - fields: What the program sends with it.
        package init(isLink: Bool, path: String, fields: [(String, String)]) {
            self.isLink = isLink
            self.path = path
            self.fields = fields
        }
    }

    /// A library that the program runs with.
    package struct Library: Sendable {
        /// For example `OpenSSL`.
        package let name: String
        /// The version that is loaded: numbers with dots between them.
        package let running: String
        /// The version that the program was built for.
        package let built: String

        /// A library.
        ///
        /// - Parameters:
        ///   - name: For example `OpenSSL`.
        ///   - running: The version that is loaded.
        ///   - built: The version that the program was built for.
        package init(name: String, running: String, built: String) {
            self.name = name
            self.running = running
            self.built = built
        }
    }

    /// Something that the program itself refuses at its start.
    package struct Problem: Sendable, Hashable {
        /// The setting, or the part of the program that refuses.
        package let setting: String
        /// What is wrong.
        package let text: String

        /// A problem.
        ///
        /// - Parameters:
        ///   - setting: The setting.
        ///   - text: What is wrong.
        package init(_ setting: String, _ text: String) {
            self.setting = setting
            self.text = text
        }
    }

    /// The effective text of each setting by its name, with defaults and with what the profile decides.
    package var texts: [String: String] = [:]
    /// In the order of the settings.
    package var iosApps: [IOSApp] = []
    /// In the order of the settings.
    package var androidApps: [AndroidApp] = []
    /// Files by the setting that names them; only for settings that are set.
    package var files: [String: File] = [:]
    /// Who else may open a file of `files` that holds a secret, by the setting that names it.
    package var exposures: [String: String] = [:]
    /// The paths of the pages on the web host.
    package var webPaths: [String] = []
    /// Where the provider sends buyers back to, as paths on the web host.
    package var returnPaths: [String] = []
    /// One page of each kind.
    package var pages: [Page] = []
    /// What speaks TLS.
    package var libraries: [Library] = []
    /// What the program itself refuses.
    package var problems: [Problem] = []
    /// The clock.
    package var now: WallTime

    /// No facts but the time.
    ///
    /// - Parameter now: The clock.
    package init(now: WallTime) {
        self.now = now
    }
}

extension SettingFacts {
    /// The text of a setting; empty where it is not set.
    func text(_ name: String) -> String { texts[name] ?? "" }

    /// The words of a list.
    func list(_ name: String) -> [String] {
        text(name).split(separator: ",").compactMap { word in
            var rest = word.drop { $0 == " " }
            while rest.last == " " { rest.removeLast() }
            return rest.isEmpty ? nil : String(rest)
        }
    }

    /// The seconds of a setting, whatever its bounds; `nil` where it holds no length of time.
    func seconds(_ name: String) -> Int? { DurationText.seconds(text(name)) }

    var web: BaseURL? { BaseURL("web.base_url", text("web.base_url")) }

    var link: BaseURL? { BaseURL("link.base_url", text("link.base_url")) }

    /// Whether the public is served: the pages are not on this machine's own names.
    var isProduction: Bool { web.map { !$0.isLoopback } ?? true }

    /// Whether Amazon's own service is used.
    var isRealProvider: Bool { text("provider.api_url").isEmpty }
}
