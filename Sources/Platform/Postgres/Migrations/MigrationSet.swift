/// The files of one feature's folder.
struct MigrationSet {
    /// The name of the folder, under which the files are on record.
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

    func name(of file: MigrationFile) -> String { "\(feature)/\(file.name)" }

    func name(of function: FunctionFile) -> String { "\(feature)/functions/\(function.name)" }

    func entry(_ file: MigrationFile, _ state: Migrations.State) -> Migrations.Entry {
        entry(file.number, file.name, state)
    }

    func entry(_ number: Int, _ name: String, _ state: Migrations.State) -> Migrations.Entry {
        Migrations.Entry(feature: feature, number: number, name: "\(feature)/\(name)", state: state)
    }
}
