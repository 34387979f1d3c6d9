import MerchantOrders
import Testing

@Suite("The scopes of a key")
struct ScopeTests {
    @Test(
        arguments: [
            ("sessions:read", [.sessionsRead]), ("refunds:write,sessions:read", [.sessionsRead, .refundsWrite]),
            (
                "sessions:read,sessions:write,buyers:read,payments:write,refunds:write,events:read",
                Set(Scope.allCases)
            ),
        ] as [(String, Set<Scope>)]
    )
    func `are read from a list`(text: String, scopes: Set<Scope>) {
        #expect(Scope.parse(text) == scopes)
    }

    @Test(arguments: [
        "", ",", "sessions:read,", ",sessions:read", "sessions:read, sessions:write", "Sessions:read", "sessions",
        "sessions:read,sessions:read", "sessions:read;refunds:write", "admin",
    ])
    func `are not read from anything else`(text: String) {
        #expect(Scope.parse(text) == nil)
    }

    @Test func `are written in one order`() {
        #expect(Scope.list([.refundsWrite, .sessionsRead]) == "sessions:read,refunds:write")
        #expect(Scope.list([]) == "")
        #expect(Scope.parse(Scope.list(Set(Scope.allCases))) == Set(Scope.allCases))
    }
}
