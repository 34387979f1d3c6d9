import EventIO
import Glibc
import TestKit
import Testing

@Suite struct `A service manager` {
    @Test func `that is gone is an error, not a wait`() throws {
        let folder = try ProcessFolder.makeFolder("manager")
        let manager = try #require(ServiceManager(["NOTIFY_SOCKET": folder + "/gone"]))
        let error = #expect(throws: IOError.self) { try manager.tell(.ready) }
        #expect(error?.code == IOError.notFound)
    }

    @Test(arguments: ["", "/", "@", "notify", "vsock:2:1234", "/" + String(repeating: "n", count: 107)])
    func `is there only under the name of a Unix socket`(name: String) {
        #expect(ServiceManager(["NOTIFY_SOCKET": name]) == nil)
        #expect(ServiceManager([:]) == nil)
    }

    @Test(
        arguments: [
            (["WATCHDOG_USEC": "30000000"], Duration.seconds(30)),
            (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "\(getpid())"], .seconds(30)),
            (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"], nil), (["WATCHDOG_USEC": "0"], nil),
            (["WATCHDOG_USEC": "-1"], nil), (["WATCHDOG_USEC": "soon"], nil), ([:], nil),
        ] as [([String: String], Duration?)]
    )
    func `watches the process that it names`(variables: [String: String], patience: Duration?) throws {
        let manager = try #require(ServiceManager(variables.merging(["NOTIFY_SOCKET": "/notify"]) { $1 }))
        #expect(manager.watchdog == patience)
    }
}
