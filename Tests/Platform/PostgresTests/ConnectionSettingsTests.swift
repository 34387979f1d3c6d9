import Primitives
import Testing

@testable import Postgres

/// Always the same byte, over and over.
private final class ConstantRandom: RandomSource {
    private let byte: UInt8

    init(_ byte: UInt8) {
        self.byte = byte
    }

    func append(_ count: Int, to output: inout [UInt8]) {
        output += [UInt8](repeating: byte, count: count)
    }
}

private func keywords(
    _ url: String,
    role: ConnectionRole = .write,
    attempt: Int = 0
) throws -> [String: String] {
    let settings = ConnectionSettings(try PostgresConfiguration(url: Secret(url)), role: role)
    return Dictionary(uniqueKeysWithValues: settings.keywords(attempt: attempt).map { ($0.keyword, $0.value) })
}

@Suite struct `The settings of a connection` {
    @Test func `tell how many servers the URI names`() throws {
        for (url, count) in [
            ("postgresql://a/d", 1), ("postgresql:///d", 1), ("postgresql://a,b:5433,c/d", 3),
            ("postgresql:///d?host=/run/a,/run/b", 2), ("hostaddr=192.0.2.1,192.0.2.2 dbname=d", 2),
        ] {
            #expect(try PostgresConfiguration(url: Secret(url)).hostCount == count, "\(url)")
        }
    }

    @Test(arguments: [
        (
            "postgresql://me:s3cret@db.example:5433/shop?sslpassword=s3cret",
            "dbname='shop' host='db.example' port='5433' user='me'"
        ),
        ("host=/run/db user=me password=s3cret", "host='/run/db' user='me'"),
        (#"dbname='it\'s' user='a\\b'"#, #"dbname='it\'s' user='a\\b'"#),
    ])
    func `can be told without their passwords`(url: String, told: String) throws {
        let text = try PostgresConfiguration.withoutPasswords(Secret(url))
        #expect(text == told)
        #expect(try PostgresConfiguration.withoutPasswords(Secret(text)) == told, "it means the same")
    }

    @Test func `ask for a server that takes writes, in bounded time`() throws {
        let values = try keywords("postgresql://me:secret@db.example:5433/shop")
        #expect(values["host"] == "db.example")
        #expect(values["port"] == "5433")
        #expect(values["password"] == "secret")
        #expect(values["target_session_attrs"] == "read-write")
        #expect(values["application_name"] == "sallyport")
        #expect(values["gssencmode"] == "disable")
        #expect(
            values["options"]
                == "-c lock_timeout=500 -c statement_timeout=3000 -c idle_in_transaction_session_timeout=5000 "
                + "-c TimeZone=UTC -c plan_cache_mode=force_generic_plan "
                + "-c enable_seqscan=off -c jit=off -c sallyport.session=options"
        )
    }

    @Test func `let the reading connection write nothing`() throws {
        let values = try keywords("postgresql://h/d", role: .read)
        #expect(values["target_session_attrs"] == "primary")
        #expect(values["options"]?.contains(" -c default_transaction_read_only=on ") == true)
    }

    @Test func `keep upkeep to one process of the server`() throws {
        let values = try keywords("postgresql://h/d", role: .upkeep)
        #expect(values["options"]?.contains(" -c max_parallel_workers_per_gather=0 ") == true)
    }

    @Test func `let upkeep take its time`() throws {
        let values = try keywords("postgresql://h/d", role: .upkeep)
        #expect(values["target_session_attrs"] == "read-write")
        #expect(values["options"]?.hasPrefix("-c lock_timeout=500 -c statement_timeout=60000 ") == true)
    }

    @Test func `give way to the URI where it says something`() throws {
        let url =
            "postgresql://localhost/d?application_name=mine&gssencmode=prefer&options=-c%20lock_timeout%3D9&tcp_user_timeout=1"
        let values = try keywords(url)
        #expect(values["application_name"] == "mine")
        #expect(values["gssencmode"] == "prefer")
        #expect(values["tcp_user_timeout"] == "1")
        #expect(values["options"]?.hasSuffix("-c lock_timeout=9") == true)
    }

    @Test func `do not give way where the promise of a write hangs on it`() throws {
        let values = try keywords("postgresql://h/d?target_session_attrs=any&client_encoding=LATIN1")
        #expect(values["target_session_attrs"] == "read-write")
        #expect(values["client_encoding"] == "UTF8")
    }

    @Test(arguments: [
        (0, "a,b,c", "1,2,3"), (1, "b,c,a", "2,3,1"), (2, "c,a,b", "3,1,2"), (3, "a,b,c", "1,2,3"),
        (7, "b,c,a", "2,3,1"),
    ])
    func `start with another host after each attempt without an answer`(
        attempt: Int,
        hosts: String,
        ports: String
    ) throws {
        let values = try keywords("postgresql://a:1,b:2,c:3/d", attempt: attempt)
        #expect(values["host"] == hosts)
        #expect(values["port"] == ports)
    }

    @Test func `leave a port for all hosts alone`() throws {
        let values = try keywords("host=a,b port=5432 dbname=d", attempt: 1)
        #expect(values["host"] == "b,a")
        #expect(values["port"] == "5432")
    }

    @Test func `print nothing of the password`() throws {
        let configuration = try PostgresConfiguration(url: Secret("postgresql://me:geheim@h/d"))
        #expect(!"\(configuration)".contains("geheim"))
        #expect(!String(reflecting: configuration).contains("geheim"))
        var text = ""
        dump(configuration, to: &text)
        #expect(!text.contains("geheim"))
    }
}

@Suite struct `The wait before another attempt` {
    @Test func `doubles up to a bound`() {
        var delay = ReconnectDelay(first: .milliseconds(50), maximum: .seconds(3))
        let full = ConstantRandom(255)
        let waits = (0..<8).map { _ in (delay.next(full) / .milliseconds(1)).rounded() }
        #expect(waits == [50, 100, 200, 400, 800, 1600, 3000, 3000])
    }

    @Test func `is at least half of that`() {
        var delay = ReconnectDelay(first: .milliseconds(50), maximum: .seconds(3))
        let none = ConstantRandom(0)
        #expect(delay.next(none) == .milliseconds(25))
        #expect(delay.next(none) == .milliseconds(50))
    }

    @Test func `never grows beyond its bound, and begins anew after a success`() {
        var delay = ReconnectDelay(first: .milliseconds(50), maximum: .seconds(3))
        let full = ConstantRandom(255)
        for _ in 0..<100 { #expect(delay.next(full) <= .seconds(3)) }
        delay.reset()
        #expect((delay.next(full) / .milliseconds(1)).rounded() == 50)
    }
}

@Suite struct `A failure of the database` {
    @Test func `says its code to everybody and the rest to operators`() {
        let error = PostgresError(.rejected(sqlState: "23505"), "duplicate key")
        #expect("\(error)" == "postgres.rejected.23505")
        #expect(String(reflecting: error) == "postgres.rejected.23505: duplicate key")
    }

    @Test(arguments: [
        (PostgresError.Code.unavailable, "postgres.unavailable"), (.overloaded, "postgres.overloaded"),
        (.outcomeUnknown, "postgres.outcome_unknown"), (.decoding, "postgres.decoding"),
        (.migration, "postgres.migration"), (.cluster, "postgres.cluster"),
    ])
    func `has a name`(code: PostgresError.Code, name: String) {
        #expect(PostgresError(code, "").description == name)
        #expect(PostgresError(code, "").sqlState == nil)
    }

    @Test(arguments: [("40P01", true), ("40001", true), ("0A000", true), ("26000", true), ("23505", false)])
    func `is worth repeating when another try may succeed`(state: String, isWorthRepeating: Bool) {
        #expect(PostgresError(.rejected(sqlState: state), "").isWorthRepeating == isWorthRepeating)
    }
}
