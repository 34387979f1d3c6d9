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
    func `are read from a list, in the order in which the program has them`(text: String, scopes: [String]) {
        #expect(Scope.parse(text, among: ScopeTests.known) == scopes.map(Scope.init))
    }

    @Test(arguments: [
        "", ",", "notes:read,", ",notes:read", "notes:read, notes:write", "Notes:read", "notes",
        "notes:read,notes:read", "notes:read;passes:read", "admin",
    ])
    func `are not read from anything else`(text: String) {
        #expect(Scope.parse(text, among: ScopeTests.known) == nil)
    }

    @Test func `are written as they are read`() {
        #expect(Scope.list(ScopeTests.known) == "notes:read,notes:write,passes:read")
        #expect(Scope.list([]) == "")
        #expect(Scope.parse(Scope.list(ScopeTests.known), among: ScopeTests.known) == ScopeTests.known)
    }
}
