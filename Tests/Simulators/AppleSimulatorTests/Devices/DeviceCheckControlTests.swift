import Cryptography
import EventIO
import HTTPClient
import HTTPCore
import HTTPServer
import Primitives
import Settings
import SimulatorCore
import StrictJSON
import Telemetry
import TestKit
import Testing

@testable import AppleSimulator

@Suite("Devices of a tester")
struct DeviceCheckControlTests {
    @Test func `have the bits and the month that a tester wants`() async throws {
        try await withDeviceCheck { bench in
            let device = try await bench.device(["name": "A used phone"])
            let old: JSONValue = ["bit0": true, "last_update_time": "2019-03"]
            let shown = try await bench.control("POST", "/devices/\(device)/bits", old)
            #expect(shown["name"] == "A used phone")
            let token = try await bench.token(device)
            #expect(try await bench.query(token) == #"{"bit0":true,"bit1":false,"last_update_time":"2019-03"}"#)
            try await bench.control("POST", "/devices/\(device)/bits", ["neverSet": true])
            #expect(try await bench.query(token) == DeviceCheckBench.neverSet)
            for month in ["2019-13", "2019", "19-03-01"] {
                let body: JSONValue = ["last_update_time": .string(month)]
                #expect(try await bench.send("POST", "/_sim/devices/1/bits", body.bytes).status == 400, "\(month)")
            }
        }
    }

    @Test func `are refused where there are none, and to strangers`() async throws {
        try await withDeviceCheck { bench in
            try await bench.control("POST", "/reset")
            for path in ["/devices/1", "/devices/0", "/devices/-9223372036854775808", "/devices/x"] {
                #expect(try await bench.send("GET", "/_sim" + path).status == 404, "\(path)")
            }
            let elsewhere = [("origin", "https://evil.example")]
            #expect(try await bench.send("POST", "/_sim/devices", fields: elsewhere).status == 403)
            let unknown: JSONValue = ["colour": "red"]
            #expect(try await bench.send("POST", "/_sim/devices", unknown.bytes).status == 400)
        }
    }

    @Test func `come back with a snapshot, and are gone after a reset`() async throws {
        try await withDeviceCheck { bench in
            let device = try await bench.device()
            let token = try await bench.token(device)
            try await bench.update(token, true, false)
            try await bench.control("POST", "/snapshot", ["keep": "used"])
            try await bench.update(token, true, true)
            try await bench.control("POST", "/snapshot", ["restore": "used"])
            #expect(try await bench.query(token).hasPrefix(#"{"bit0":true,"bit1":false"#))
            try await bench.control("POST", "/reset")
            #expect(try await bench.control("GET", "/devices")["devices"] == [])
            #expect(try await bench.query(token) == DeviceCheckBench.badToken)
            #expect(try await bench.control("GET", "/keys")["keys"]?.elements.count == 1)
        }
    }
}

@Suite("DeviceCheck in a demo")
struct SimulatedDeviceCheckTests {
    @Test func `is found beside the other simulators, or where it is told to listen`() throws {
        var reader = SettingReader(SettingSource(file: nil, environment: [:]))
        _ = reader.address("simulator_listen", "127.0.0.1:9443", "listener")
        #expect(SimulatedDeviceCheck(&reader) == nil)
        let usual = SimulatedDeviceCheck.demoSettings(DemoSource(reader, folder: "/keys"))
        #expect(usual["device_check_simulator.listen"] == "127.0.0.1:9459")
        #expect(usual["device_check.production_url"] == "http://127.0.0.1:9459/production")
        #expect(usual["device_check.development_url"] == "http://127.0.0.1:9459/development")
        #expect(usual["device_check.private_key"] == "/keys/devicecheck/AuthKey_SP4TESTKEY.p8")
        #expect(usual["app_attest.bundle_ids"] == "com.example.sallyport")
        #expect(usual["app_attest.trust"] == "/keys/devicecheck/attest-root.pem")
        #expect(usual["app_attest.receipt_trust"] == "/keys/devicecheck/receipt-root.pem")
        #expect(usual["app_attest.receipt_url"] == "http://127.0.0.1:9459/production")
        let own = ["SALLYPORT_DEVICE_CHECK_SIMULATOR_LISTEN": "0.0.0.0:7000"]
        var other = SettingReader(SettingSource(file: nil, environment: own))
        let system = try #require(SimulatedDeviceCheck(&other))
        #expect(system.healthURL == "http://127.0.0.1:7000/_sim/health")
        let found = SimulatedDeviceCheck.demoSettings(DemoSource(other, folder: "/keys"))
        #expect(found["device_check.development_url"] == "http://127.0.0.1:7000/development")
    }

    @Test func `has its key in the folder, for its owner alone, and serves with it`() async throws {
        try await withTemporaryFolder { folder in
            try SimulatedDeviceCheck.makeFiles(in: folder, random: KernelRandom())
            let path = folder + "/devicecheck/AuthKey_SP4TESTKEY.p8"
            #expect(try Files.permissions(path).mode & 0o777 == 0o600)
            for (name, mode) in [("attest-root.pem", 0o644), ("attest-root.key", 0o600), ("receipt-root.key", 0o600)] {
                let permissions = try Files.permissions(folder + "/devicecheck/" + name)
                #expect(permissions.mode & 0o777 == UInt32(mode), "\(name)")
            }
            let root = try Files.read(folder + "/devicecheck/attest-root.pem")
            let pem = Secret(try Files.read(path))
            let environment = ["SALLYPORT_DEVICE_CHECK_SIMULATOR_LISTEN": "127.0.0.1:0"]
            var reader = SettingReader(SettingSource(file: nil, environment: environment))
            let system = try #require(SimulatedDeviceCheck(&reader))
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
                let bench = DeviceCheckBench(reactor: reactor, origin: "http://\(address)", curl: curl)
                let token = try await bench.token(try await bench.device())
                let field = try bench.bearer(team: "SP4TESTDEV", keyID: "SP4TESTKEY", key: ES256PrivateKey(pem: pem))
                let answer = try await bench.call("query_two_bits", bench.body(token), authorization: field)
                #expect(answer == (200, DeviceCheckBench.neverSet))
                #expect(try await bench.send("GET", "/_sim/attest/root.pem").body == root)
                await server.drain()
                simulator.stop()
            }
        }
    }

    @Test func `is reached from this machine alone, unless an operator says otherwise`() async throws {
        try await withLoop { reactor in
            var configuration = DeviceCheckModel.Configuration(seed: [1])
            let address = SocketAddress(v4: 0, port: 0)
            #expect(!DeviceCheckSimulator(configuration, reactor: reactor).problems(listeningOn: address).isEmpty)
            configuration.allowsOthers = true
            #expect(DeviceCheckSimulator(configuration, reactor: reactor).problems(listeningOn: address).isEmpty)
        }
    }
}
