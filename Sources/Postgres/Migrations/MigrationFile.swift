import EventIO

/// One numbered file of SQL.
struct MigrationFile: Equatable {
    /// 1 to 9999.
    let number: Int
    /// As in the directory: `0001_what.sql`.
    let name: String

    /// The migration with a file name, or `nil` for a name of another form.
    init?(name: String) {
        let characters = Array(name.utf8)
        let digits = characters.prefix(4)
        guard characters.count > 9, name.hasSuffix(".sql"), characters[4] == UInt8(ascii: "_"),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            characters[5..<(characters.count - 4)].allSatisfy(MigrationFile.isWordCharacter)
        else { return nil }
        number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        self.name = name
        guard number > 0 else { return nil }
    }

    /// The migrations of a directory, lowest number first.
    ///
    /// - Parameter directory: Other files than `*.sql` are left alone.
    /// - Returns: Numbers are unique.
    /// - Throws: `migration` for a directory that cannot be read, a misnamed file, or a number that is used twice.
    static func all(in directory: String) throws(PostgresError) -> [MigrationFile] {
        let names: [String]
        do {
            names = try Files.list(directory)
        } catch {
            throw PostgresError(.migration, "cannot read the folder \(directory): \(error)")
        }
        var files: [MigrationFile] = []
        for name in names.sorted() where name.hasSuffix(".sql") {
            guard let file = MigrationFile(name: name) else {
                throw PostgresError(.migration, "\(name) is not named NNNN_what.sql in lower case")
            }
            if let last = files.last, last.number == file.number {
                throw PostgresError(.migration, "\(last.name) and \(name) have the same number")
            }
            files.append(file)
        }
        return files
    }

    /// The SQL in the file.
    ///
    /// - Parameter directory: Where it is.
    /// - Returns: Text without NUL.
    /// - Throws: `migration` when the file cannot be read or is no text.
    func text(in directory: String) throws(PostgresError) -> String {
        let bytes: [UInt8]
        do {
            bytes = try Files.read("\(directory)/\(name)", limit: MigrationFile.maximumBytes)
        } catch {
            throw PostgresError(.migration, "cannot read \(name): \(error)")
        }
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw PostgresError(.migration, "\(name) is not UTF-8 text")
        }
        return text
    }

    /// More than any file of SQL that a human reads.
    private static let maximumBytes = 1 << 20

    private static func isWordCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
