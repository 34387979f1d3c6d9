import ServiceAPI
import Testing

@Suite("The scopes of a key")
struct ScopeTests {
    private static let known = ["notes:read", "notes:write", "passes:read"].map(Scope.init)

    @Test(
        arguments: [
            ("notes:read", ["notes:read"]), ("passes:read,notes:read", ["notes:read", "passes:read"]),
            ("passes:read,notes:write,notes:read", ["notes:read", "notes:write", "passes:read"]),
        ]
    )
    func `are read from a list, in the order in which the program has them`(text: String, scopes: [String]) throws {
        #expect(try Scope.parse(text, among: ScopeTests.known) == scopes.map(Scope.init))
    }

    @Test(
        arguments: [
            ("", .unknown("")), (",", .unknown("")), ("notes:read,", .unknown("")), (",notes:read", .unknown("")),
            ("notes:read, notes:write", .unknown(" notes:write")), ("Notes:read", .unknown("Notes:read")),
            ("notes:read,notes,admin", .unknown("notes")), ("notes:read,notes:read", .repeated("notes:read")),
            ("notes:read;passes:read", .unknown("notes:read;passes:read")), ("admin", .unknown("admin")),
        ] as [(String, Scope.ListRefusal)]
    )
    func `are not read from anything else, and the part that is none is named`(text: String, refusal: Scope.ListRefusal)
    {
        #expect(throws: refusal) { try Scope.parse(text, among: ScopeTests.known) }
    }

    @Test func `are written as they are read`() throws {
        #expect(Scope.list(ScopeTests.known) == "notes:read,notes:write,passes:read")
        #expect(Scope.list([]) == "")
        #expect(try Scope.parse(Scope.list(ScopeTests.known), among: ScopeTests.known) == ScopeTests.known)
    }
}
