import Operations
import PostgresTestKit
import Primitives
import Synchronization
import TestKit
import Testing

@testable import Program

@Suite("A list of a command that has nothing in it")
struct EmptyListTests {
    private static let lists: [([String], String)] = [
        (["keys", "list"], "there is no key"),
        (["webhooks", "list"], "there is no endpoint"),
        (["webhooks", "list", "--dead"], "no event is dead"),
        (["webhooks", "list", "--session", "01900000-0000-7000-8000-000000000001"], "no event is undelivered"),
        (["stuck"], "no purchase is stuck"),
        (["payments"], "no payment is stuck"),
        (["audit", "--alerts"], "no events in that time"),
        (["audit", "--operators"], "no events in that time"),
    ]

    @Test func `says so to people, and to programs by its status alone`() async throws {
        let database = try migratedDatabase()
        let environment = [
            "SALLYPORT_DATABASE_URL": database.serviceURL.reveal(), "SALLYPORT_MIGRATIONS_DIR": migrationsFolder,
            "SALLYPORT_MERCHANT_API": "true",
        ]
        for (words, remark) in Self.lists {
            let said = Mutex((output: [String](), complaints: [String](), remarks: [String]()))
            let console = Console(
                print: { line in said.withLock { $0.output.append(line) } },
                complain: { line in said.withLock { $0.complaints.append(line) } },
                remark: { line in said.withLock { $0.remarks.append(line) } }
            )
            let status = await CommandTable.set.run(words, environment: environment, console: console)
            let (output, complaints, remarks) = said.withLock { ($0.output, $0.complaints, $0.remarks) }
            #expect(status == 0 && output.isEmpty && complaints.isEmpty, "\(words): \(complaints)")
            #expect(remarks == [remark], "\(words)")
        }
    }
}
