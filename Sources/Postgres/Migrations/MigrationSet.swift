import EventIO

/// The files of the program or of one feature, and where they are on record.
struct MigrationSet {
    /// Empty for the program's own.
    let feature: String
    let directory: String
    /// Lowest number first.
    let files: [MigrationFile]

    /// The program's, then those of the features.
    ///
    /// - Throws: `migration` for a folder that cannot be read, and for a misnamed file.
    static func all(in directory: String, _ features: [String]) throws(PostgresError) -> [MigrationSet] {
        var sets = [MigrationSet(feature: "", directory: directory, files: try MigrationFile.all(in: directory))]
        for feature in features {
            let folder = "\(directory)/\(feature)"
            sets.append(MigrationSet(feature: feature, directory: folder, files: try MigrationFile.all(in: folder)))
        }
        return sets
    }

    func name(of file: MigrationFile) -> String { name(file.name) }

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
}
