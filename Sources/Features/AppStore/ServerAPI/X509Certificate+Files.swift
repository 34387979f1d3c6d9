import Cryptography
import EventIO
import Settings

extension X509Certificate {
    /// The certificates of a file that a setting names, PEM or DER.
    ///
    /// - Throws: `ConfigurationError` with the setting and the file.
    static func list(at path: String, _ setting: String) throws(ConfigurationError) -> [X509Certificate] {
        let content: [UInt8]
        do throws(IOError) {
            content = try Files.read(path, limit: 1 << 20)
        } catch {
            throw ConfigurationError(problems: ["\(setting): \(path) cannot be read: \(error.sentence)"])
        }
        do throws(CryptographyError) {
            return try list(content)
        } catch {
            throw ConfigurationError(problems: ["\(setting): \(path): \(error.detail)"])
        }
    }
}
