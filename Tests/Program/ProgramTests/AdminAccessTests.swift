import EventIO
import Foundation
import HTTPCore
import Primitives
import Settings
import TestKit
import Testing

@testable import Program

@Suite struct `The administration listener` {
    private static let token = String(repeating: "t", count: 32)

    private func status(
        _ listener: String,
        _ path: String,
        host: String? = nil,
        authorization: [String] = [],
        isGuarded: Bool = false
    ) throws -> Int? {
        var fields: [(name: HTTPFieldName, value: String)] = host.map { [(.host, $0)] } ?? []
        fields += authorization.map { (.authorization, $0) }
        let request = try #require(HTTPRequest(.get, path, fields: fields))
        let token = isGuarded ? Secret(Array(Self.token.utf8)) : nil
        let access = AdminAccess(listener: SocketAddress(listener), token: token)
        return access.refusal(of: request, .empty)?.status.code
    }

    @Test(
        arguments: [
            nil, "localhost", "localhost:8444", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:8444", "[::1]", "[::1]:8444",
            "127.0.0.9:8444",
        ] as [String?]
    )
    func `on loopback answers under names of this machine`(host: String?) throws {
        for path in ["/healthz", "/readyz", "/metrics"] {
            #expect(try status("127.0.0.9:8444", path, host: host) == nil)
        }
    }

    @Test(arguments: [
        "evil.example", "evil.example:8444", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.2", "[::2]",
        "x.localhost", "", "[::1", "192.0.2.1",
    ])
    func `on loopback answers under no other name`(host: String) throws {
        for path in ["/healthz", "/readyz", "/metrics", "/"] {
            #expect(try status("127.0.0.1:8444", path, host: host) == 421, "\(path)")
        }
    }

    @Test(arguments: ["0.0.0.0:8444", "192.0.2.1:8444", "[::]:8444", "unix:/run/sallyport/admin"])
    func `elsewhere answers health under any name`(listener: String) throws {
        for path in ["/healthz", "/readyz"] {
            #expect(try status(listener, path, host: "broker.default.svc", isGuarded: true) == nil)
        }
    }

    @Test(arguments: ["Bearer", "bearer", "BEARER"])
    func `takes its token`(scheme: String) throws {
        let shown = ["\(scheme) \(Self.token)"]
        #expect(try status("0.0.0.0:8444", "/metrics", authorization: shown, isGuarded: true) == nil)
    }

    private static let wrong: [[String]] = [
        [], ["Bearer"], ["Bearer "], ["Bearer x"], ["Basic \(token)"], [token], ["Bearer \(token)t"],
        ["Bearer \(token.dropLast())"], ["Bearer \(token.uppercased())"], ["Bearer  \(token)"],
        ["Bearer \(token)", "Bearer \(token)"],
    ]

    @Test(arguments: wrong)
    func `takes nothing else for its token`(authorization: [String]) throws {
        for path in ["/metrics", "/", "/healthz/", "/readyz/x", "/METRICS"] {
            for listener in ["0.0.0.0:8444", "127.0.0.1:8444"] {
                #expect(try status(listener, path, authorization: authorization, isGuarded: true) == 401)
            }
        }
    }

    // MARK: The file

    private func read(_ content: String, mode: UInt32 = 0o600) throws -> Result<String?, ConfigurationError> {
        let path = try ProcessFolder.makeFolder("token") + "/token"
        try Files.write(path, Array(content.utf8), mode: mode)
        try Files.setPermissions(path, mode: mode)
        let environment = ["SALLYPORT_ADMIN_TOKEN_FILE": path, "SALLYPORT_ADMIN_LISTEN": "0.0.0.0:8444"]
        let configuration = try Configuration(SettingSource(file: nil, environment: environment))
        do throws(ConfigurationError) {
            return .success(try configuration.adminToken().map { String(decoding: $0.reveal(), as: UTF8.self) })
        } catch {
            return .failure(error)
        }
    }

    @Test(arguments: ["", "\n", "\r\n"])
    func `reads its token from the line of a file`(end: String) throws {
        #expect(try read(Self.token + end).get() == Self.token)
        #expect(try read(Self.token + end, mode: 0o640).get() == Self.token)
    }

    private static let unusable: [String] = [
        "", "short", String(repeating: "t", count: 31), String(repeating: "t", count: 257), "\(token) \(token)",
        "\(token)\n\(token)", "\n\(token)", "\(token)\n\n", "\(token)ü",
    ]

    @Test(arguments: unusable)
    func `refuses a file that holds no token, and does not tell what it holds`(content: String) throws {
        guard case .failure(let error) = try read(content) else {
            Issue.record("taken")
            return
        }
        #expect(error.problems.count == 1)
        #expect(error.problems[0].hasPrefix("admin.token_file: "))
        #expect(!error.problems[0].contains("tttt"))
    }

    @Test(arguments: [0o604, 0o644, 0o602, 0o601] as [UInt32])
    func `refuses a file that every user can open`(mode: UInt32) throws {
        guard case .failure(let error) = try read(Self.token, mode: mode) else {
            Issue.record("taken")
            return
        }
        #expect(error.problems[0].contains("chmod o-rwx"))
    }

    @Test func `looks at the file behind a link`() throws {
        let folder = try ProcessFolder.makeFolder("token")
        try Files.write(folder + "/data", Array(Self.token.utf8), mode: 0o600)
        try FileManager.default.createSymbolicLink(atPath: folder + "/token", withDestinationPath: "data")
        let environment = ["SALLYPORT_ADMIN_TOKEN_FILE": folder + "/token"]
        let configuration = try Configuration(SettingSource(file: nil, environment: environment))
        #expect(try configuration.adminToken() != nil)
        try Files.setPermissions(folder + "/data", mode: 0o644)
        #expect(throws: ConfigurationError.self) { try configuration.adminToken() }
    }

    @Test func `beyond loopback names the setting that it needs`() throws {
        let environment = ["SALLYPORT_ADMIN_LISTEN": "0.0.0.0:8444"]
        do {
            _ = try Configuration(SettingSource(file: nil, environment: environment))
            Issue.record("taken")
        } catch {
            #expect(error.problems.count == 1)
            #expect(error.problems[0].hasPrefix("admin_listen: "))
            #expect(error.problems[0].contains("admin.token_file"))
        }
    }
}
