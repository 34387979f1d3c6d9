import Checkout
import Cryptography
import Doctor
import EventIO
import HTTPClient
import HTTPCore
import HTTPServer
import Pages
import Primitives
import ServerCore
import Settings
import Web

/// What `doctor` looks at: the settings as texts, what they name, and what this program itself says of them.
struct SettingExamination {
    let facts: SettingFacts
    /// The association file for iOS; `nil` where there is none, or where the settings do not come to one.
    let appleFile: [UInt8]?
    /// The same for Android.
    let androidFile: [UInt8]?
    /// What the features read.
    let features: ConfiguredFeatures

    /// Examines settings, with which the program may not start at all.
    ///
    /// - Parameters:
    ///   - source: The texts.
    ///   - now: The clock.
    init(_ source: SettingSource, now: WallTime) {
        var reader = SettingReader(source)
        let configuration = Configuration(&reader)
        features = configuration.features
        let apps = configuration.features.first(CheckoutFeature.self)?.settings.apps
        var facts = SettingFacts(now: now)
        facts.texts = reader.texts
        facts.iosApps = (apps?.ios ?? []).map { app in
            SettingFacts.IOSApp(prefix: app.prefix, bundle: app.bundle, services: app.services, isClip: app.isClip)
        }
        facts.androidApps = (apps?.android ?? []).map { app in
            SettingFacts.AndroidApp(package: app.package, fingerprints: app.fingerprints)
        }
        for setting in reader.settings where setting.isFile {
            if reader.contents.contains(setting.name) { facts.files[setting.name] = .written }
            guard let path = reader.texts[setting.name], !path.isEmpty else { continue }
            facts.files[setting.name] = SettingExamination.file(path)
            // What cannot be read is reported by the checks of each file.
            if setting.kind == .secretFile { facts.exposures[setting.name] = (try? SecretFile.exposure(path)) ?? nil }
        }
        facts.webPaths = RoutesCommand.routes.filter { $0.site == .web && $0.method == .get }.map(\.path)
        facts.returnPaths = ProviderSetup.returnPaths
        facts.pages = SettingExamination.pages(
            HeaderPolicy(includesSubdomains: facts.texts["hsts.include_subdomains"] != "false")
        )
        facts.libraries = SettingExamination.libraries
        let (problems, files) = SettingExamination.judgement(on: source)
        facts.problems = problems
        self.facts = facts
        appleFile = files?.apple
        androidFile = files?.android
    }

    /// One page of each kind: a cart with a script of ours, one that only shows something, and the link host's.
    private static func pages(_ headers: HeaderPolicy) -> [SettingFacts.Page] {
        let shopHeaders = ShopHeaders(headers)
        let nonce = Nonce(random: KernelRandom())
        func page(_ isLink: Bool, _ path: String, _ block: FieldBlock, _ policy: String) -> SettingFacts.Page {
            let fields = block.fields.map { ($0.name.spelling, $0.value) }
            return SettingFacts.Page(isLink: isLink, path: path, fields: fields + [("Content-Security-Policy", policy)])
        }
        return [
            page(false, "/browser/cart", shopHeaders.cart, ContentSecurityPolicy.scripted(nonce)),
            page(false, "/error", headers.page, ContentSecurityPolicy.plain),
            page(true, "/index.html", shopHeaders.linkFallback, ContentSecurityPolicy.linkFallback(nonce)),
        ]
    }

    private static var libraries: [SettingFacts.Library] {
        [
            SettingFacts.Library(name: "OpenSSL", running: OpenSSLVersion.running, built: OpenSSLVersion.built),
            SettingFacts.Library(name: "libcurl", running: CurlVersion.running, built: CurlVersion.built),
        ]
    }

    private static func file(_ path: String) -> SettingFacts.File {
        do throws(IOError) {
            return .content(Secret(try Files.read(path, limit: 1 << 20)))
        } catch {
            return .unreadable("\(error)")
        }
    }

    /// What the program would refuse at its start, and the files that it would serve.
    private static func judgement(on source: SettingSource) -> ([SettingFacts.Problem], Associations?) {
        var files: Associations?
        do {
            let configuration = try Configuration(source)
            let invalid = configuration.listeners.trustedProxies.filter { $0 != "*" && NetworkPrefix($0) == nil }
            let problems = invalid.map { SettingFacts.Problem("trusted_proxies", "\($0) is no address or network") }
            files = try Associations(try configuration.checkout())
            guard problems.isEmpty else { return (problems, files) }
            try Application.check(configuration)
            return ([], files)
        } catch let error as ConfigurationError {
            return (error.problems.map(problem), files)
        } catch {
            return ([SettingFacts.Problem("serve", "\(error)")], files)
        }
    }

    /// `name: what is wrong`, taken apart.
    private static func problem(_ line: String) -> SettingFacts.Problem {
        guard let mark = line.firstRange(of: ": ") else { return SettingFacts.Problem("settings", line) }
        return SettingFacts.Problem(String(line[..<mark.lowerBound]), String(line[mark.upperBound...]))
    }
}
