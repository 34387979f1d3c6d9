import EventIO

/// The current text of a function, in a file that every change of it replaces.
///
/// The first line is `-- version: N`. A file is applied where the database has none of its name, or a lower version: so an older
/// program never puts its text in the place of a newer one's.
struct FunctionFile: Equatable {
    /// As in the directory: `open_outcome.sql`.
    let name: String
    /// 1 at least.
    let version: Int
    /// The SQL, which can be run any number of times.
    let text: String

    /// The function with a file name, or `nil` for a name of another form or a text without version.
    init?(name: String, text: String) {
        let mark = "-- version: "
        guard name.hasSuffix(".sql"), name.utf8.count > 4, name.utf8.dropLast(4).allSatisfy(SQLFile.isWordCharacter),
            text.hasPrefix(mark), let version = Int(text.dropFirst(mark.count).prefix { $0 != "\n" }), version > 0
        else { return nil }
        self.name = name
        self.version = version
        self.text = text
    }

    /// The functions of a directory by name; none where there is no such directory.
    ///
    /// - Throws: `migration` for a file that is misnamed, no text or without version.
    static func all(in directory: String) throws(PostgresError) -> [FunctionFile] {
        guard Files.exists(directory) else { return [] }
        var files: [FunctionFile] = []
        for name in try SQLFile.names(in: directory) {
            guard let file = FunctionFile(name: name, text: try SQLFile.text(name, in: directory)) else {
                throw PostgresError(
                    .migration,
                    "\(name) is not named in lower case, or does not begin with -- version: N"
                )
            }
            files.append(file)
        }
        return files
    }
}
