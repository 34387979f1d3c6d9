import EventIO

/// The files of one folder, and where they are on record.
struct MigrationSet {
    /// Empty for the series `before/`.
    let feature: String
    /// Lowest number first.
    let files: [MigrationFile]
    /// By name.
    let functions: [FunctionFile]

    /// Those of folders, in their order.
    ///
    /// - Throws: `migration` for a folder that cannot be read, and for a file that is misnamed or no text.
    static func all(in directory: String, _ features: [String]) throws(PostgresError) -> [MigrationSet] {
        var sets: [MigrationSet] = []
        for feature in features {
            let folder = "\(directory)/\(feature)"
            let functions = try FunctionFile.all(in: "\(folder)/functions")
            sets.append(MigrationSet(feature: feature, files: try MigrationFile.all(in: folder), functions: functions))
        }
        return sets
    }

    /// The series of before the folders, as it was; without files where there is none.
    static func before(in directory: String) throws(PostgresError) -> MigrationSet {
        let folder = "\(directory)/before"
        let files = Files.exists(folder) ? try MigrationFile.all(in: folder) : []
        return MigrationSet(feature: "", files: files, functions: [])
    }

    func name(of file: MigrationFile) -> String { name(file.name) }

    func name(of function: FunctionFile) -> String { name("functions/\(function.name)") }

    func entry(_ file: MigrationFile, _ state: Migrations.State) -> Migrations.Entry {
        entry(file.number, file.name, state)
    }

    func entry(_ number: Int, _ name: String, _ state: Migrations.State) -> Migrations.Entry {
        Migrations.Entry(feature: feature, number: number, name: self.name(name), state: state)
    }

    private func name(_ file: String) -> String { feature.isEmpty ? file : "\(feature)/\(file)" }

    var table: String { feature.isEmpty ? "schema_migration" : "feature_migration" }

    /// The parameters that choose the feature's records.
    var key: [String] { feature.isEmpty ? [] : [feature] }

    var selectRecords: String {
        "SELECT number, name, encode(sha256, 'hex') FROM \(table)" + (feature.isEmpty ? "" : " WHERE feature = $1")
    }

    /// Number, name and text of a file, then `key`.
    var insertRecord: String {
        """
        INSERT INTO \(table) (number, name, sha256\(feature.isEmpty ? "" : ", feature"))
        VALUES ($1, $2, sha256(convert_to($3, 'UTF8'))\(feature.isEmpty ? "" : ", $4"))
        """
    }

    /// Number and text of a file, then `key`.
    var updateRecord: String {
        "UPDATE \(table) SET sha256 = sha256(convert_to($2, 'UTF8')) WHERE number = $1::integer"
            + (feature.isEmpty ? "" : " AND feature = $3")
    }
}
