import EventIO

/// Files of SQL in a folder.
enum SQLFile {
    /// The names of the files `*.sql` of a folder, sorted; other files are left alone.
    ///
    /// - Throws: `migration` for a folder that cannot be read.
    static func names(in folder: String) throws(PostgresError) -> [String] {
        do {
            return try Files.list(folder).filter { $0.hasSuffix(".sql") }.sorted()
        } catch {
            throw PostgresError(.migration, "cannot read the folder \(folder): \(error)")
        }
    }

    /// The SQL in a file, without NUL.
    ///
    /// - Throws: `migration` when the file cannot be read or is no text.
    static func text(_ name: String, in folder: String) throws(PostgresError) -> String {
        let bytes: [UInt8]
        do {
            bytes = try Files.read("\(folder)/\(name)", limit: SQLFile.maximumBytes)
        } catch {
            throw PostgresError(.migration, "cannot read \(name): \(error)")
        }
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw PostgresError(.migration, "\(name) is not UTF-8 text")
        }
        return text
    }

    /// Whether a character may be in the name of a file.
    static func isWordCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// More than any file of SQL that a human reads.
    private static let maximumBytes = 1 << 20
}
