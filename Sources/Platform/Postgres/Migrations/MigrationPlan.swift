/// What a run has to do to a database, as its files and its records stand to each other.
struct MigrationPlan {
    /// Files that the database lacks, in the order of the folders.
    private(set) var files: [(set: MigrationSet, file: MigrationFile)] = []
    /// Functions whose text the database lacks or has in a lower version.
    private(set) var functions: [(set: MigrationSet, function: FunctionFile)] = []
    /// Names of functions that a newer program has put there.
    private(set) var newer: [String] = []

    /// Compares; changes nothing.
    ///
    /// - Throws: `migration` for a file that is changed or out of order.
    init(_ sets: [MigrationSet], _ connection: PostgresAdmin) throws(PostgresError) {
        for set in sets {
            files += try set.pending(connection).map { (set, $0) }
            for (function, state) in try set.functionStates(connection) {
                switch state {
                case .pending: functions.append((set, function))
                case .newer: newer.append(set.name(of: function))
                case .changed:
                    throw PostgresError(
                        .migration,
                        "\(set.name(of: function)) was changed under version \(function.version), which is applied: give it the next one"
                    )
                case .applied, .missing: break
                }
            }
        }
    }
}

extension MigrationSet {
    /// The files that are not applied.
    ///
    /// - Throws: `migration` for a file that is changed or out of order.
    fileprivate func pending(_ connection: PostgresAdmin) throws(PostgresError) -> [MigrationFile] {
        let entries = try entries(connection)
        if let changed = entries.first(where: { $0.state == .changed }) {
            throw PostgresError(.migration, "\(changed.name) is applied and was changed since: add a new file instead")
        }
        let last = entries.last { $0.state == .applied }?.number ?? 0
        if let late = entries.first(where: { $0.state == .pending && $0.number < last }) {
            throw PostgresError(.migration, "\(late.name) comes before one that is applied: give it a new number")
        }
        return files.filter { file in entries.contains { $0.number == file.number && $0.state == .pending } }
    }

    private func records(
        _ connection: PostgresAdmin
    ) throws(PostgresError) -> [Int: (name: String, digest: String)] {
        var records: [Int: (name: String, digest: String)] = [:]
        let select = "SELECT number, name, encode(sha256, 'hex') FROM feature_migration WHERE feature = $1"
        for row in try connection.rows(select, [feature]) {
            guard let number = row[0].flatMap({ Int($0) }), let name = row[1], let digest = row[2] else { continue }
            records[number] = (name, digest)
        }
        return records
    }

    /// How each file and each record stand, lowest number first.
    func entries(_ connection: PostgresAdmin) throws(PostgresError) -> [Migrations.Entry] {
        var records = try records(connection)
        var entries: [Migrations.Entry] = []
        for (file, digest) in zip(files, try connection.digests(of: files.map(\.text))) {
            guard let record = records.removeValue(forKey: file.number) else {
                entries.append(entry(file, .pending))
                continue
            }
            let isSame = digest == record.digest && file.name == record.name
            entries.append(entry(file, isSame ? .applied : .changed))
        }
        entries += records.map { entry($0.key, $0.value.name, .missing) }
        return entries.sorted { $0.number < $1.number }
    }

    /// How each function stands, by name.
    func functionStates(
        _ connection: PostgresAdmin
    ) throws(PostgresError) -> [(function: FunctionFile, state: Migrations.State)] {
        var records: [String: (version: Int, digest: String)] = [:]
        let select = "SELECT name, version, encode(sha256, 'hex') FROM feature_function WHERE feature = $1"
        for row in try connection.rows(select, [feature]) {
            guard let name = row[0], let version = row[1].flatMap({ Int($0) }), let digest = row[2] else { continue }
            records[name] = (version, digest)
        }
        return zip(functions, try connection.digests(of: functions.map(\.text))).map { function, digest in
            guard let record = records[function.name], record.version >= function.version else {
                return (function, .pending)
            }
            if record.version > function.version { return (function, .newer) }
            return (function, record.digest == digest ? .applied : .changed)
        }
    }
}

extension PostgresAdmin {
    /// SHA-256 of each text, in hexadecimal digits.
    fileprivate func digests(of texts: [String]) throws(PostgresError) -> [String?] {
        guard !texts.isEmpty else { return [] }
        let values = texts.indices.map { "(\($0), $\($0 + 1)::text)" }.joined(separator: ", ")
        return try rows(
            "SELECT encode(sha256(convert_to(t, 'UTF8')), 'hex') FROM (VALUES \(values)) AS v (n, t) ORDER BY n",
            texts
        ).map { $0[0] }
    }
}
