package import EventIO

/// Files that hold keys, secrets and passwords: each is read here, and refused where others than the program may open it.
///
/// A group may read such a file: that is how a package gives a file of root to the program, and Kubernetes one of its own.
/// Every user of the machine may not, and no group may write.
package enum SecretFile {
    /// The content of a file.
    ///
    /// - Parameters:
    ///   - path: As the setting names it; links are followed.
    ///   - limit: The most bytes that are accepted.
    /// - Throws: What is wrong with the file, without its content.
    package static func read(
        _ path: String,
        _ setting: String,
        limit: Int = 65_536
    ) throws(ConfigurationError) -> [UInt8] {
        let bytes: [UInt8]
        let exposure: String?
        do throws(IOError) {
            bytes = try Files.read(path, limit: limit)
            exposure = try SecretFile.exposure(path)
        } catch {
            throw ConfigurationError(problems: ["\(setting): \(path) cannot be read: \(error.sentence)"])
        }
        if let exposure { throw ConfigurationError(problems: ["\(setting): \(path) \(exposure)"]) }
        return bytes
    }

    /// The one line of a file, without its end.
    ///
    /// - Parameters:
    ///   - path: As the setting names it; links are followed.
    /// - Throws: What is wrong with the file, without its content.
    package static func line(_ path: String, _ setting: String) throws(ConfigurationError) -> [UInt8] {
        var line = try read(path, setting, limit: 4096)
        if line.last == UInt8(ascii: "\n") { line.removeLast() }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
    }

    /// Who else may open a file, and what to do about it; `nil` where nobody may.
    ///
    /// - Throws: `IOError` where there is no such file.
    package static func exposure(_ path: String) throws(IOError) -> String? {
        let mode = try Files.targetMode(path)
        if mode & 0o007 != 0 { return "is open to every user of this machine; take that away with chmod o-rwx" }
        if mode & 0o030 != 0 { return "may be changed by its group; take that away with chmod g-wx" }
        return nil
    }
}
