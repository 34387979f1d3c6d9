import Testing

@testable import Postgres
@testable import Program

@Suite struct `What is said of a schema` {
    private static let remedy = "run `sallyport migrate` as the owner of the schema"

    private func problems(_ states: [Migrations.State]) -> [String] {
        DatabaseAccess.problems(
            states.enumerated().map { index, state in
                Migrations.Entry(feature: "", number: index + 1, name: "000\(index + 1)_x.sql", state: state)
            }
        )
    }

    @Test func `is one line, however much is not applied`() {
        let said = problems(Array(repeating: .pending, count: 9))
        #expect(said == ["database: it has no tables of Sallyport; \(Self.remedy)"])
        let some = problems([.applied, .pending, .applied, .pending, .pending])
        #expect(some == ["database: 3 changes are not applied, 0002_x.sql to 0005_x.sql; \(Self.remedy)"])
        #expect(problems([.applied, .pending]) == ["database: 0002_x.sql is not applied; \(Self.remedy)"])
    }

    @Test func `names what was changed, and nothing of what is as it should be`() {
        let said = problems([.changed, .applied, .missing, .newer])
        #expect(said == ["database: 0001_x.sql was changed after it was applied"])
        #expect(problems([.applied, .missing, .newer]).isEmpty)
    }
}
