package import Cryptography
import Operations
import Primitives
package import Settings

/// The file of the keyring that the processes of a deployment share.
package struct KeyringFile: Sendable {
    /// Named by what was sealed first.
    package static let setting = "merchant.secret_file"
    private let path: String

    /// Reads the setting.
    package init(_ read: inout SettingReader) {
        path = read.secretFile(
            KeyringFile.setting,
            "file with the keys that processes share; webhook keys are sealed under them, shipping cost keys are derived from them"
        )
    }

    /// Whether a file is set.
    package var isSet: Bool { !path.isEmpty }

    /// The keyring, read anew at every call; `nil` where no file is set.
    ///
    /// - Throws: `ConfigurationError` that says what is wrong with the file.
    package func read() throws(ConfigurationError) -> Keyring? {
        guard isSet else { return nil }
        let content = try SecretFile.read(path, KeyringFile.setting)
        do throws(CryptographyError) {
            return try Keyring(content)
        } catch {
            throw ConfigurationError(problems: ["\(KeyringFile.setting): \(error.detail)"])
        }
    }

    /// The keyring, for what cannot be done without one.
    ///
    /// - Parameter purpose: What it is for, as the end of a sentence.
    /// - Throws: `ConfigurationError` where no file is set, too.
    package func demanded(_ purpose: String) throws(ConfigurationError) -> Keyring {
        if let keyring = try read() { return keyring }
        throw ConfigurationError(problems: ["\(KeyringFile.setting): not set, and \(purpose)"])
    }

    /// D43: whether the file can be read, and whether old keys are left in it.
    static func findings(_ settings: ExaminedSettings) -> [Finding] {
        let path = settings.text(setting)
        switch settings.files[setting] {
        case nil: return []
        case .written?: return [.written("D43", setting)]
        case .unreadable(let why)?:
            return [
                Finding(
                    "D43",
                    .error,
                    setting,
                    "\(path) cannot be read: \(why).",
                    remedy: "Name a file that the program's user may read, and nobody else."
                )
            ]
        case .content(let content)?:
            do throws(CryptographyError) {
                let keyring = try Keyring(content.reveal())
                guard keyring.numbers.count > 1 else { return [] }
                let numbers = keyring.numbers.map(String.init).joined(separator: ", ")
                return [
                    Finding(
                        "D43",
                        .note,
                        setting,
                        "\(path) has the keys \(numbers); key \(keyring.newest) seals.",
                        remedy: "When `sallyport reseal` reports that nothing is left, take the older keys out."
                    )
                ]
            } catch {
                return [
                    Finding(
                        "D43",
                        .error,
                        setting,
                        "\(path): \(error.detail).",
                        remedy:
                            "Make one by `umask 077; echo \"1 $(openssl rand -hex 32)\" > FILE` before anything is sealed, the same for all processes."
                    )
                ]
            }
        }
    }
}
