import EventIO
import TestKit

/// A database that has been in use for three years, as SQL to run behind all migrations.
///
/// What the planner does depends on how many partitions the catalogs hold and on what `ANALYZE` made of them: statements that
/// work on a fresh database fail or read everything on such a one. Tables of days have a hundred of them: with thousands the months are
/// too small a part of the catalog to matter, and it is the months that have to.
enum AgedDatabase {
    /// Partitions of every table that a migration declares, the rows of `Tests/Aged/FEATURE.sql`, and statistics of everything.
    ///
    /// - Throws: `IOError` for a file that cannot be read.
    static func sql(_ features: [String]) throws(IOError) -> String {
        var sql = partitions
        for feature in features {
            let path = ProjectFolder.path("Tests/Aged/\(feature).sql")
            guard Files.exists(path) else { continue }
            sql += String(decoding: try Files.read(path, limit: 1 << 20), as: UTF8.self)
        }
        return sql + "ANALYZE;"
    }

    private static let partitions = """
        SET TimeZone = 'UTC';
        DO $$
        DECLARE
            t partitioned_table;
            step interval;
            past interval;
        BEGIN
            FOR t IN SELECT * FROM partitioned_table LOOP
                step := '1 ' || t.unit;
                past := CASE t.unit WHEN 'month' THEN '36 months' ELSE '100 days' END;
                PERFORM partition_make(t.parent, s, s + step)
                FROM generate_series(date_trunc(t.unit, now()) - past, date_trunc(t.unit, now()), step) AS s;
            END LOOP;
        END $$;

        """
}
