import Primitives
import ServerCore
import Settings
import Web

/// What the settings say of passes.
struct WalletSettings: Sendable {
    let templateFolder: String
    let certificateFolder: String
    /// Of a card whose request names none; empty for the only one there is.
    let defaultTemplate: String
    /// Path below which phones ask, without a slash at its end; empty on a host of its own.
    let basePath: String
    /// A host for phones alone; `nil` for the web host.
    let host: WebOrigin?
    /// Whether the paths of the sample are served beside those below `/v1`.
    let hasSampleRoutes: Bool
    let tagFloor: Int
    let cacheSize: Int
    let passLimit: Int
    let logsPerMinute: Int
    let listsPerMinute: Int
    let linksPerMinute: Int
    /// Zero: links work until there is another.
    let linkLifetime: Duration
    let wakesPerSecond: Int
    let keepHistory: Duration
    let keepLogs: Duration
    let push: PushSettings

    /// The settings that switch passes on.
    static let switches = ["wallet.templates", "wallet.certificates"]

    init(_ read: inout SettingReader) {
        templateFolder = read.folder(
            "wallet.templates",
            "",
            "folder with a folder for each pass template; empty: no passes"
        )
        certificateFolder = read.folder(
            "wallet.certificates",
            "",
            "folder with certificate, key and passphrase of each pass type, and the intermediate certificates"
        )
        defaultTemplate = read.text(
            "wallet.default_template",
            "",
            "template of a card whose request names none; empty: the only one there is"
        )
        basePath = read.basePath("wallet.base_path")
        let host = read.text(
            "wallet.host",
            "",
            "origin on which phones alone ask, such as https://wallet.example.com; empty: below wallet.base_path of the web host"
        )
        self.host = WebOrigin(host)
        if !host.isEmpty, self.host == nil {
            read.complain("wallet.host", "not an origin such as https://wallet.example.com")
        }
        hasSampleRoutes = read.flag(
            "wallet.sample_routes",
            false,
            "serve /member and /pass-type, the paths of the sample, beside those below /v1; with the same keys"
        )
        tagFloor = read.number(
            "wallet.tag_floor",
            0...4_611_686_018_427_387_903,
            0,
            "greatest update tag that phones may have: only behind the restore of an old backup"
        )
        cacheSize = read.number("wallet.cache", 1...4_096, 64, "megabytes of finished passes in memory") << 20
        passLimit =
            read.number("wallet.pass_limit", 10...20_480, 2_048, "kilobytes that a finished pass may have") << 10
        logsPerMinute = read.number("wallet.log_rate", 1...6_000, 60, "error logs a minute that an address may send")
        listsPerMinute = read.number(
            "wallet.list_rate",
            1...10_000_000,
            600,
            "lists without a change a minute that an address gets"
        )
        linksPerMinute = read.number(
            "wallet.link_rate",
            1...6_000,
            60,
            "download links a minute that an address may open"
        )
        linkLifetime = read.duration(
            "wallet.link_lifetime",
            0...315_360_000,
            .zero,
            "how long a download link works; 0s: until there is another"
        )
        wakesPerSecond = read.number(
            "wallet.wake_rate",
            1...10_000,
            200,
            "phones a second that are woken when all of a type are"
        )
        keepHistory = read.duration(
            "wallet.keep_history",
            86_400...315_360_000,
            .seconds(400 * 86_400),
            "how long the history of passes is kept behind its month"
        )
        keepLogs = read.duration(
            "wallet.keep_logs",
            86_400...31_536_000,
            .seconds(30 * 86_400),
            "how long errors of phones are kept behind their day"
        )
        push = PushSettings(&read)
    }

    /// Whether passes are switched on.
    var isOn: Bool { !templateFolder.isEmpty && !certificateFolder.isEmpty }

    /// What passes tell phones to ask.
    func webServiceURL(_ web: WebOrigin) -> String { (host ?? web).text + path }

    /// Path below which phones ask, wherever they do.
    var path: String { host == nil ? basePath : "" }
}

extension SettingReader {
    /// A path of segments that need no escape; empty for the root.
    fileprivate mutating func basePath(_ name: String) -> String {
        let text = text(name, "/wallet", "path of the web host below which phones ask; they append /v1 themselves")
        let path = text.octets == "/" ? "" : text
        let parts = path.octets.parts(between: UInt8(ascii: "/")).dropFirst()
        let isGood = parts.allSatisfy { part in
            !part.isEmpty && part.octets != "v1" && part.utf8.allSatisfy(Base64URL.contains)
        }
        guard path.isEmpty || path.utf8.first == UInt8(ascii: "/") && isGood else {
            complain(name, "not a path such as /wallet, of letters, digits, - and _, without v1")
            return "/wallet"
        }
        return path
    }
}
