import EventIO
package import Primitives
package import Settings

/// The settings as checks see them: texts, and what the files hold that they name.
///
/// Texts rather than values, because settings with which nothing would start are examined, too: a value stands at some allowed
/// one where the text is wrong.
package struct ExaminedSettings: Sendable {
    /// A file that a setting names.
    package enum File: Sendable {
        /// What is in it.
        case content(Secret<[UInt8]>)
        /// Why it could not be read.
        case unreadable(String)
        /// There is no file: the setting holds what should be in it, and its text is not among `texts`.
        case written
    }

    /// The effective text of each setting by its name, with defaults and with what the profile decides.
    package var texts: [String: String]
    /// Files by the setting that names them; only for settings that are set.
    package var files: [String: File] = [:]
    /// Who else may open a file of `files` that holds a secret, by the setting that names it.
    package var exposures: [String: String] = [:]
    /// Whether nothing is wrong with any of them, so that the values that were read are those that they say.
    package var areSound: Bool
    /// Whether a feature that is on needs the link host; without one its address is nobody's.
    package var servesLinks = true
    /// The paths of the program's pages on the web host.
    package let webPaths: [String]
    /// When they are examined.
    package let now: WallTime

    /// What a reader has read, and the files.
    package init(_ reader: SettingReader, webPaths: [String], now: WallTime) {
        texts = reader.texts
        areSound = reader.problems(of: .everything).isEmpty
        self.webPaths = webPaths
        self.now = now
        for setting in reader.settings where setting.isFile {
            if reader.contents.contains(setting.name) { files[setting.name] = .written }
            guard let path = texts[setting.name], !path.isEmpty else { continue }
            files[setting.name] = ExaminedSettings.file(path)
            // What cannot be read is reported by the checks of each file.
            if setting.kind == .secretFile { exposures[setting.name] = (try? SecretFile.exposure(path)) ?? nil }
        }
    }

    private static func file(_ path: String) -> File {
        do throws(IOError) {
            return .content(Secret(try Files.read(path, limit: 1 << 20)))
        } catch {
            return .unreadable(error.sentence)
        }
    }

    /// The text of a setting; empty where it is not set.
    package func text(_ name: String) -> String { texts[name] ?? "" }

    /// The words of a list.
    package func list(_ name: String) -> [String] {
        text(name).split(separator: ",").compactMap { word in
            var rest = word.drop { $0 == " " }
            while rest.last == " " { rest.removeLast() }
            return rest.isEmpty ? nil : String(rest)
        }
    }

    /// The seconds of a setting, whatever its bounds; `nil` where it holds no length of time.
    package func seconds(_ name: String) -> Int? { DurationText.seconds(text(name)) }

    /// The web host; `nil` where there is no address.
    package var web: BaseURL? { BaseURL("web.base_url", text("web.base_url")) }

    /// The link host; `nil` where there is no address, and where nothing is served there.
    package var link: BaseURL? { servesLinks ? BaseURL("link.base_url", text("link.base_url")) : nil }

    /// Both hosts, those that have an address.
    package var hosts: [BaseURL] { [web, link].compactMap(\.self) }

    /// Whether the public is served: the pages are not on this machine's own names.
    package var isProduction: Bool { web.map { !$0.isLoopback } ?? true }
}
