import Cryptography
import EventIO
import HTTPClient
import HTTPCore
import HTTPServer
import JOSE
import Primitives
import Settings
import SimulatorCore
import StrictJSON
import Telemetry
import TestKit
import Testing

@testable import AppleSimulator

@Suite("The store in a demo")
struct SimulatedAppStoreTests {
    private func system(_ environment: [String: String]) throws -> SimulatedAppStore? {
        var reader = SettingReader(SettingSource(file: nil, environment: environment))
        _ = reader.text("web.base_url", "https://localhost:8443", "pages")
        _ = reader.text("app_store.bundle_id", "jp.example.shop", "bundle id")
        return SimulatedAppStore(&reader)
    }

    @Test func `is found beside the other simulators, or where it is told to listen`() throws {
        var reader = SettingReader(SettingSource(file: nil, environment: [:]))
        _ = reader.address("simulator_listen", "127.0.0.1:9443", "listener")
        _ = SimulatedAppStore(&reader)
        let usual = SimulatedAppStore.demoSettings(DemoSource(reader, folder: "/keys"))
        #expect(usual["app_store_simulator.listen"] == "127.0.0.1:9451")
        #expect(usual["app_store.production_url"] == "http://127.0.0.1:9451/production")
        #expect(usual["app_store.sandbox_url"] == "http://127.0.0.1:9451/sandbox")
        #expect(usual["app_store.root_certificates"] == "/keys/app-store/root.pem")
        let own = ["SALLYPORT_APP_STORE_SIMULATOR_LISTEN": "127.0.0.1:7000"]
        var other = SettingReader(SettingSource(file: nil, environment: own))
        _ = SimulatedAppStore(&other)
        let found = SimulatedAppStore.demoSettings(DemoSource(other, folder: "/keys"))
        #expect(found["app_store.sandbox_url"] == "http://127.0.0.1:7000/sandbox")
    }

    @Test(arguments: [("0.0.0.0:7000", "127.0.0.1:7000"), ("[::]:7000", "[::1]:7000"), ("[::1]:7000", "[::1]:7000")])
    func `is asked at this machine where it listens at every address of it`(listen: String, asked: String) throws {
        var reader = SettingReader(
            SettingSource(file: nil, environment: ["SALLYPORT_APP_STORE_SIMULATOR_LISTEN": listen])
        )
        let system = try #require(SimulatedAppStore(&reader))
        let found = SimulatedAppStore.demoSettings(DemoSource(reader, folder: "/keys"))
        #expect(found["app_store_simulator.listen"] == .string(listen))
        #expect(found["app_store.production_url"] == .string("http://\(asked)/production"))
        #expect(system.healthURL == "http://\(asked)/_sim/health")
    }

    @Test func `is off without an address`() throws {
        #expect(try system([:]) == nil)
    }

    @Test func `sends its notifications to a program on this machine`() throws {
        let listen = ["SALLYPORT_APP_STORE_SIMULATOR_LISTEN": "127.0.0.1:7000"]
        let local = try system(listen)?.demoOptions
        #expect(local == ["app-store-notify": "https://localhost:8443/app-store/notifications"])
        let remote = try system(listen.merging(["SALLYPORT_WEB_BASE_URL": "https://pay.example.com"]) { $1 })
        #expect(remote?.demoOptions == [:])
    }

    @Test func `has its keys in the folder, private ones for their owner, and serves with them`() async throws {
        try await withTemporaryFolder { folder in
            try SimulatedAppStore.makeFiles(in: folder, random: KernelRandom())
            let files = [
                ("root.pem", 0o644), ("root.key", 0o600), ("AuthKey_SP4TESTAPI.p8", 0o600), ("products.json", 0o644),
            ]
            for (path, mode) in files {
                let permissions = try Files.permissions(folder + "/app-store/" + path)
                #expect(permissions.mode & 0o777 == UInt32(mode), "\(path)")
            }
            try Files.write(folder + "/authority.pem", TestCertificates.authority, mode: 0o644)
            let system = try #require(try system(["SALLYPORT_APP_STORE_SIMULATOR_LISTEN": "127.0.0.1:0"]))
            let pem = Secret(try Files.read(folder + "/app-store/AuthKey_SP4TESTAPI.p8"))
            let root = try X509Certificate(try Files.read(folder + "/app-store/root.pem")).der
            try await withLoop { reactor in
                let launch = SimulatorLaunch(folder: folder, certificate: [], key: Secret([]))
                let simulator = try system.simulator(launch, reactor, .silent)
                #expect(try system.places(launch).count == 1)
                let server = try simulator.serve(
                    on: .init(SocketAddress(v4: 0x7F00_0001, port: 0), .clear),
                    tls: nil,
                    reactor: reactor,
                    logger: .silent
                )
                let address = try #require(server.boundAddresses.first)
                let curl = CurlClient(reactor, configuration: ClientConfiguration())
                let bench = StoreBench(reactor: reactor, origin: "http://\(address)", curl: curl)
                let id = try await bench.ticket()
                let now = reactor.wallNow.seconds
                let claims: JSONValue = [
                    "iss": "5a11e904-7de7-410b-8e0f-57ee9a1d0f00", "exp": .number(String(now + 300)),
                    "aud": "appstoreconnect-v1", "bid": "jp.example.shop",
                ]
                let token = try JWTSigner(key: ES256PrivateKey(pem: pem), keyID: "SP4TESTAPI").sign(claims: claims)
                let answer = try await bench.send(
                    "GET",
                    "/sandbox/inApps/v1/transactions/\(id)",
                    fields: [("authorization", "Bearer " + token)]
                )
                let text = try #require(try JSONParser.parse(answer.body)["signedTransactionInfo"]?.text)
                #expect(try ReadText(text).complaints(root: root) == [])
                #expect(try await bench.verified(text)["bundleId"] == "jp.example.shop")
                await server.drain()
                simulator.stop()
            }
        }
    }

    /// As a demo's folder has them that an older program has made.
    @Test(arguments: ["root.pem", "root.key", "AuthKey_SP4TESTAPI.p8"])
    func `says which of its files is not there`(file: String) async throws {
        try await withTemporaryFolder { folder in
            try SimulatedAppStore.makeFiles(in: folder, random: KernelRandom())
            try Files.removeTree("\(folder)/app-store/\(file)")
            let system = try #require(try system(["SALLYPORT_APP_STORE_SIMULATOR_LISTEN": "127.0.0.1:0"]))
            try await withLoop { reactor in
                let launch = SimulatorLaunch(folder: folder, certificate: [], key: Secret([]))
                let error = #expect(throws: ConfigurationError.self) {
                    _ = try system.simulator(launch, reactor, .silent)
                }
                let sentence = try #require(error?.problems.first)
                #expect(sentence.hasPrefix("\(folder)/app-store/\(file) cannot be read: no such file or directory; "))
            }
        }
    }

    @Test func `is reached from this machine alone, unless an operator says otherwise`() async throws {
        try await withLoop { reactor in
            let root = try AppStoreAuthority.makeRoot(now: reactor.wallNow)
            var configuration = AppStoreModel.Configuration(root: root, seed: [1])
            let address = SocketAddress(v4: 0, port: 0)
            #expect(!AppStoreSimulator(configuration, reactor: reactor).problems(listeningOn: address).isEmpty)
            configuration.allowsOthers = true
            #expect(AppStoreSimulator(configuration, reactor: reactor).problems(listeningOn: address).isEmpty)
        }
    }
}
