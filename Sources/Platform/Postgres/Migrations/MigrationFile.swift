/// One numbered file of SQL.
struct MigrationFile: Equatable {
    /// 1 to 9999.
    let number: Int
    /// As in the directory: `0001_what.sql`.
    let name: String
    /// The SQL.
    let text: String

    /// The migration with a file name, or `nil` for a name of another form.
    init?(name: String, text: String) {
        let characters = Array(name.utf8)
        let digits = characters.prefix(4)
        guard characters.count > 9, name.hasSuffix(".sql"), characters[4] == UInt8(ascii: "_"),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            characters[5..<(characters.count - 4)].allSatisfy(SQLFile.isWordCharacter)
        else { return nil }
        number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        self.name = name
        self.text = text
        guard number > 0 else { return nil }
    }

    /// The migrations of a directory, lowest number first.
    ///
    /// - Parameter directory: Other files than `*.sql` are left alone.
    /// - Returns: Numbers are unique.
    /// - Throws: `migration` for a directory that cannot be read, a file that is misnamed or no text, or a number that is used
    ///   twice.
    static func all(in directory: String) throws(PostgresError) -> [MigrationFile] {
        var files: [MigrationFile] = []
        for name in try SQLFile.names(in: directory) {
            guard let file = MigrationFile(name: name, text: try SQLFile.text(name, in: directory)) else {
                throw PostgresError(.migration, "\(name) is not named NNNN_what.sql in lower case")
            }
            if let last = files.last, last.number == file.number {
                throw PostgresError(.migration, "\(last.name) and \(name) have the same number")
            }
            files.append(file)
        }
        return files
    }
}
