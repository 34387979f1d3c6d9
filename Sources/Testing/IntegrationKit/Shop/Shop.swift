import Postgres
package import PostgresTestKit
package import Primitives
package import Program
import ServerCore
import Settings
import TestKit

/// A whole shop of one test: a database, the provider's simulator, and the program, in the test's process or as processes.
package struct TestShop<Place> {
    /// A copy of the migrated template.
    package let database: TestDatabase
    /// Amazon.
    package let simulator: RunningSimulator
    /// Where the program runs.
    package let place: Place
    /// Scheme, host and port of the pages, as the program and browsers know them.
    package let web: String
    /// The same of the return links.
    package let link: String
    /// Where the hosts of the shop are in truth.
    package let hosts: HostTable
    /// Whether its browsers ask again after 429.
    let isPatient: Bool
    private let ownSettings: [String: String]
    private let changes: ShopChanges

    init(
        _ database: TestDatabase,
        _ simulator: RunningSimulator,
        _ place: Place,
        _ hosts: HostTable,
        _ options: ShopOptions,
        settings: [String: String]
    ) {
        self.database = database
        self.simulator = simulator
        self.place = place
        self.hosts = hosts
        web = options.web
        link = options.link
        isPatient = options.isPatient
        ownSettings = settings
        changes = ShopChanges(database.url)
    }

    /// libpq URI of the database's owner; another database may be set before a server is started.
    package var databaseURL: Secret<String> {
        get { changes.databaseURL.withLock { $0 } }
        nonmutating set { changes.databaseURL.withLock { $0 = newValue } }
    }

    /// The same for servers and commands, which work as the role of the program in service.
    package var serviceURL: Secret<String> { patientURL(databaseURL) }

    /// Environment variables on top of the usual ones, for programs that are started from now on.
    package var settings: [String: String] {
        get { changes.settings.withLock { $0 } }
        nonmutating set { changes.settings.withLock { $0 = newValue } }
    }

    /// All environment variables of a program that is started now.
    package var environment: [String: String] {
        ownSettings.merging(["SALLYPORT_DATABASE_URL": serviceURL.reveal()]) { $1 }.merging(settings) { $1 }
    }

    /// A browser with an empty jar, which prefers a language.
    package func browser(language: String = "en") -> TestBrowser {
        TestBrowser(hosts, home: web, language: language, isPatient: isPatient)
    }

    /// A client of the shop without cookies.
    package var http: TestClient { TestClient(hosts, home: web) }

    /// The simulator's controls.
    package var control: SimulatorControl { SimulatorControl(url: simulator.url) }

    /// Runs one statement on the shop's database, blocking.
    ///
    /// A deadlock with the program under test takes all of the statement back: it runs again, a few times at most.
    @discardableResult
    package func rows(_ sql: String, _ parameters: [String?] = []) throws -> [[String?]] {
        let admin = try PostgresAdmin(url: databaseURL, patience: TestDatabase.patience)
        for _ in 0..<4 {
            do throws(PostgresError) {
                return try admin.rows(sql, parameters)
            } catch {
                guard error.sqlState == "40P01" else { throw error }
            }
        }
        return try admin.rows(sql, parameters)
    }

    /// The only value of a statement, or an empty text.
    package func value(_ sql: String, _ parameters: [String?] = []) throws -> String {
        (try rows(sql, parameters).first?.first ?? nil) ?? ""
    }

    /// The state of a webview session, as the database has it.
    package func state(of webviewSession: String) throws -> String {
        try value("SELECT state FROM webview_session WHERE webview_session_id = $1", [webviewSession])
    }

    /// The audit trail of a webview session in order.
    ///
    /// - Returns: For each event `operation outcome`.
    package func trail(of webviewSession: String) throws -> [String] {
        try rows(
            "SELECT op || ' ' || outcome FROM webview_session_event WHERE webview_session_id = $1 ORDER BY ordinal",
            [webviewSession]
        )
        .map { ($0.first ?? nil) ?? "" }
    }

    /// How many rows the tables of the webview sessions hold, and how far they have changed: equal before and after means that
    /// nothing was written.
    package func footprint() throws -> String {
        try value(
            """
            SELECT concat_ws(' ', (SELECT count(*) FROM webview_session), (SELECT coalesce(sum(events), 0) FROM webview_session),
                (SELECT count(*) FROM webview_session_event), (SELECT count(*) FROM webview_session_private),
                (SELECT count(*) FROM webview_session_purchase), (SELECT md5(string_agg(f::text, '' ORDER BY webview_session_id)) FROM webview_session f))
            """
        )
    }

    /// Every row of every table as text, column by column as PostgreSQL prints it: what a stolen dump would hold.
    package func dump() throws -> String {
        let names = try rows(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )
        return try names.map { try value("SELECT string_agg(t::text, E'\n') FROM \"\($0[0] ?? "")\" t") }
            .joined(separator: "\n")
    }

    /// Ends the lease of a purchase, as if its holder had been gone for a while.
    package func endLease(of webviewSession: String) throws {
        try rows(
            "UPDATE webview_session SET lease_until = now() - interval '1 second' WHERE webview_session_id = $1",
            [webviewSession]
        )
    }

    /// Ends the lease of a purchase and asks for its outcome, until nobody else is finding out.
    ///
    /// The broker's own recovery may be faster than the caller, and holds the lease for a moment.
    ///
    /// - Returns: The first answer that says more, or the last one.
    package func afterLease<Answer>(
        of webviewSession: String,
        ask: () async throws -> Answer,
        while isHeld: (Answer) -> Bool
    ) async throws -> Answer {
        try endLease(of: webviewSession)
        var answer = try await ask()
        let patience = Patience()
        while isHeld(answer), patience.isLeft {
            try endLease(of: webviewSession)
            answer = try await ask()
        }
        return answer
    }

    /// Has the database refuse some updates, as a broken row would, until the trigger `refuse` is dropped.
    ///
    /// - Parameter condition: In terms of `OLD` and `NEW`.
    package func refuse(updatesOf table: String, where condition: String) throws {
        try rows(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$"
        )
        try rows(
            "CREATE TRIGGER refuse BEFORE UPDATE ON \(table) FOR EACH ROW WHEN (\(condition)) EXECUTE FUNCTION refuse()"
        )
    }

    /// Takes the database away: every connection ends and no new one is let in.
    package func takeDatabaseAway() throws {
        try onAnotherDatabase { admin in
            try admin.run("ALTER DATABASE \(database.name) WITH ALLOW_CONNECTIONS false")
            _ = try admin.rows(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1",
                [database.name]
            )
        }
    }

    /// Lets connections in again.
    package func bringDatabaseBack() throws {
        try onAnotherDatabase { try $0.run("ALTER DATABASE \(database.name) WITH ALLOW_CONNECTIONS true") }
    }

    private func onAnotherDatabase(_ body: (PostgresAdmin) throws -> Void) throws {
        // It is dropped with the last reference to it.
        let other = try TestDatabase()
        try body(try other.admin())
        withExtendedLifetime(other) {}
    }
}

/// What a test has changed of its shop.
private final class ShopChanges: Sendable {
    let databaseURL: Lock<Secret<String>>
    let settings = Lock<[String: String]>([:])

    init(_ databaseURL: Secret<String>) {
        self.databaseURL = Lock(databaseURL)
    }
}

extension TestShop: Sendable where Place: Sendable {}

/// A shop whose program runs in the process of the test.
package typealias Shop = TestShop<Application>

extension TestShop<Application> {
    /// The program.
    package var broker: Application { place }

    /// Scheme, host and port of the administration listener.
    package var admin: String { "http://" + (broker.adminAddresses.first.map { "\($0)" } ?? "") }
}

/// Runs a body with a shop of its own, which is taken down afterwards.
package func withShop<Result: Sendable>(
    _ options: ShopOptions = ShopOptions(),
    _ body: @escaping @Sendable (Shop) async throws -> Result
) async throws -> Result {
    try await ShopGate.shared.pass {
        let ends = Teardown()
        do {
            let result = try await body(try await Shop.start(options, ends))
            await ends.run()
            return result
        } catch {
            await ends.run()
            throw error
        }
    }
}

extension TestShop<Application> {
    fileprivate static func start(_ options: ShopOptions, _ ends: Teardown) async throws -> Shop {
        let database = try options.database ?? TestDatabase.ofProgram()
        let hosts = HostTable(over: options.version)
        let simulator = try await RunningSimulator.start(
            isSecure: options.isSimulatorSecure,
            port: options.simulatorPort,
            hosts: hosts
        )
        ends.add { await simulator.stop() }
        var options = options
        let noticed = try await options.notificationSettings(simulator)
        options.settings.merge(noticed) { own, _ in own }
        let environment = options.environment(simulator, try TestKeys.get())
        let settings = SettingSource(file: nil, environment: environment)
        var parts = ApplicationParts(databaseURL: patientURL(database.url))
        parts.jobPause = options.jobPause
        let broker = try await Application.start(try Configuration(settings), parts, logger: options.logger)
        ends.add { await broker.stop() }
        let shop = Shop(database, simulator, broker, hosts, options, settings: environment)
        hosts.add(options.scheme + (broker.addresses.first.map { "\($0)" } ?? ""), for: [shop.web, shop.link])
        if options.processes > 1 {
            let second = try await SecondBroker.start(shop.environment)
            ends.add { second.stop() }
            hosts.add(second.url, for: [shop.web, shop.link])
        }
        if options.takesNotifications {
            try await shop.control.notify(shop.web + "/ipn/amazon-pay", topic: ShopOptions.topic)
        }
        return shop
    }
}

/// The URI for the program in service, whose statements wait for a locked row as long as a statement may take: rounds of periodic
/// work that follow each other at once hold rows, and a slow machine keeps them longer than the usual half second.
private func patientURL(_ owner: Secret<String>) -> Secret<String> {
    Secret(TestDatabase.serviceURL(owner).reveal() + "%20-c%20lock_timeout%3D3s")
}

extension TestDatabase {
    /// A database of the program with all its features.
    package static func ofProgram() throws -> TestDatabase {
        try TestDatabase(migrations: migrationsFolder, features: migrationFolders)
    }
}

/// The folder of the migrations in the sources.
package let migrationsFolder = ProjectFolder.path("migrations")

/// The folders in it that the program applies, in their order.
package let migrationFolders = FeatureList.all.migrationFolders
