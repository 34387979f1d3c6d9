import Cryptography
import EventIO
import Foundation
import IntegrationKit
import Primitives
import StrictJSON
import TestKit

/// One request that no sample may believe, as octets, and what may be said to it.
struct HostileRequest: Sendable {
    let name: String
    let octets: [UInt8]
    /// Statuses; 0 stands for a connection that is closed without an answer.
    let expected: Set<Int>

    init(_ name: String, _ head: [String], _ expected: Set<Int>, body: [UInt8] = []) {
        self.init(name, head.map { Array($0.utf8) }, expected, body: body)
    }

    init(_ name: String, _ head: [[UInt8]], _ expected: Set<Int>, body: [UInt8] = []) {
        self.name = name
        octets = head.flatMap { $0 + Array("\r\n".utf8) } + Array("\r\n".utf8) + body
        self.expected = expected
    }
}

/// The cases that every example server gets, whatever its language.
enum HostileRequests {
    /// A secret of the samples.
    static let secret = "whsec_" + Data((0..<24).map { UInt8($0) }).base64EncodedString()
    private static let refused: Set<Int> = [0, 400, 411, 413]
    /// The server of php-cli, which is no server for production, reads whatever length is announced before the sample sees anything.
    static let beforePHP: Set = ["length: more than a number can be", "length: a gigabyte"]
    private static let unsigned: Set<Int> = [400, 401, 403]

    /// Those of a server whose signed requests go to a path.
    static func signed(_ path: String) throws -> [HostileRequest] {
        let start = ["POST \(path) HTTP/1.1", "Host: shop.localhost", "Content-Type: application/json"]
        func post(
            _ name: String,
            _ fields: [String],
            _ body: String = "",
            _ expected: Set<Int> = refused
        ) -> HostileRequest {
            HostileRequest(name, start + fields, expected, body: Array(body.utf8))
        }
        let many = String(repeating: " ", count: 900_000)
        let lengths = [
            "no length": "", "an empty length": "Content-Length:", "a negative length": "Content-Length: -1",
            "a sign": "Content-Length: +2", "hexadecimal": "Content-Length: 0x2", "an exponent": "Content-Length: 1e0",
            "full-width digits": "Content-Length: \u{FF12}", "a list": "Content-Length: 2, 2",
            "more than a number can be": "Content-Length: 99999999999999999999999",
            "a gigabyte": "Content-Length: 1000000000",
        ]
        var found = lengths.sorted { $0.key < $1.key }.map { name, line in
            post("length: " + name, line.isEmpty ? [] : [line], "{}")
        }
        found += [
            post("length: two", ["Content-Length: 2", "Content-Length: 1"], "{}"),
            post("length: chunks", ["Transfer-Encoding: chunked"], "2\r\n{}\r\n0\r\n\r\n"),
            post(
                "length: chunks and a length",
                ["Transfer-Encoding: chunked", "Content-Length: 2"],
                "2\r\n{}\r\n0\r\n\r\n"
            ),
            post(
                "length: more than is taken, all of it sent before anything is read",
                ["Content-Length: \(many.utf8.count)"],
                many,
                [413]
            ),
            post("length: too long for the content", ["Content-Length: 50"], "{}", refused.union(unsigned).union([0])),
            post("head: too long", ["X-Long: " + String(repeating: "a", count: 300_000)], "", [0, 400, 413, 431]),
        ]
        let event = #"{"id":"evt_1","type":"t","sessionId":null,"sequence":0,"data":{}}"#
        found += [
            try message("signature: with an empty key", path, event, key: [], unsigned),
            try message("signature: with a short key", path, event, key: [0, 0, 0], unsigned),
            try message("signature: of another time", path, event, time: "1000000000", unsigned),
            try message("signature: at a time in other digits", path, event, time: "\u{FF11}\u{FF12}", unsigned),
            try message(
                "signature: at a time in octets that are no UTF-8",
                path,
                event,
                timeOctets: [0xFF, 0xFE],
                unsigned
            ),
            try message("content: nothing", path, "", unsigned), try message("content: a list", path, "[]", unsigned),
            try message("content: a number", path, "1", unsigned), try message("content: half", path, "{", unsigned),
            try message("content: another object", path, "{}", unsigned),
            try message("content: without an order", path, #"{"data":1}"#, unsigned),
            try message("content: deep", path, String(repeating: "[", count: 60_000), unsigned),
            try message(
                "content: no UTF-8",
                path,
                octets: Array(#"{"data":{"#.utf8) + [0xFF, 0xC0] + Array("}}".utf8),
                unsigned
            ),
        ]
        return found
    }

    /// Those of a shop between an app and the interface: paths, logins, names.
    static let ofShop: [HostileRequest] = {
        let login = "Authorization: Bearer \(SampleServer.login)"
        let host = "Host: shop.localhost"
        let order = #"{"client":"iosApp","items":{"tea":2}}"#
        let start = ["POST /checkouts HTTP/1.1", host, login]
        let latin = Array("GET /".utf8) + [0xFF, 0xE9] + Array(" HTTP/1.1".utf8)
        let marked = [
            Array("Authorization: Bearer ".utf8) + [0xFF, 0xFE] + Array(String(repeating: "a", count: 20).utf8)
        ]
        let noText = Array(#"{"client":""#.utf8) + [0xFF] + Array(#"","items":{"tea":1}}"#.utf8)
        let named = Array("Idempotency-Key: ".utf8) + [0xC3, 0x28]
        func octets(_ lines: [String]) -> [[UInt8]] { lines.map { Array($0.utf8) } }
        return [
            HostileRequest("path: a line", ["GET /x%0Aforged:%20line HTTP/1.1", host], [404]),
            HostileRequest("path: a return", ["GET /x%0D%0Aforged HTTP/1.1", host], [404]),
            HostileRequest(
                "path: an escape of the terminal",
                ["GET /x%1b[31m\u{1B}[31mforged HTTP/1.1", host],
                [0, 400]
            ),
            HostileRequest("path: octets that are no UTF-8", [latin] + octets([host]), [0, 400]),
            HostileRequest("path: escapes that are no UTF-8", ["GET /%ff%fe HTTP/1.1", host], [404]),
            HostileRequest("path: up", ["GET /../../etc/passwd HTTP/1.1", host], [400, 404]),
            HostileRequest(
                "login: no UTF-8",
                octets(["GET /checkouts/current HTTP/1.1", host]) + marked,
                [400, 401]
            ),
            HostileRequest(
                "key: no UTF-8",
                octets(start + ["Content-Length: \(order.utf8.count)"]) + [named],
                [400],
                body: Array(order.utf8)
            ),
            HostileRequest(
                "order: no UTF-8",
                start + ["Idempotency-Key: w", "Content-Length: \(noText.count)"],
                [400],
                body: noText
            ),
            HostileRequest(
                "order: a capture without a token",
                [
                    "POST /orders/S-1/capture HTTP/1.1", host, "Authorization: Bearer ", "Idempotency-Key: w",
                    "Content-Length: 2",
                ],
                [403],
                body: Array("{}".utf8)
            ),
        ]
    }()

    // MARK: Signed ones

    private static func message(
        _ name: String,
        _ path: String,
        _ body: String = "",
        octets: [UInt8]? = nil,
        key: [UInt8] = (0..<24).map { UInt8($0) },
        time: String = "\(Int(Date().timeIntervalSince1970))",
        timeOctets: [UInt8]? = nil,
        _ expected: Set<Int>
    ) throws -> HostileRequest {
        let content = octets ?? Array(body.utf8)
        let time = timeOctets ?? Array(time.utf8)
        let tag = try HMACSHA256.tag(of: Array("evt_1.".utf8) + time + Array(".".utf8) + content, key: key)
        let head = [
            "POST \(path) HTTP/1.1", "Host: shop.localhost", "Content-Length: \(content.count)", "webhook-id: evt_1",
            "webhook-signature: v1,\(Data(tag.bytes).base64EncodedString())",
        ]
        let lines = head.map { Array($0.utf8) } + [Array("webhook-timestamp: ".utf8) + time]
        return HostileRequest(name, lines, expected, body: content)
    }

    // MARK: Sending

    /// Sends each over a connection of its own, and prints the status.
    ///
    /// Only what says more than it sends closes the sending side: PHP's server answers nobody who does.
    private static let sender = """
        from base64 import b64decode
        from json import load
        from socket import SHUT_WR, SO_SNDBUF, SOL_SOCKET, socket
        from sys import argv

        for name, text in load(open(argv[2])):
            status = 0
            try:
                with socket() as connection:
                    # Little waits in the kernel, so that what a server leaves unread is noticed.
                    connection.setsockopt(SOL_SOCKET, SO_SNDBUF, 4096)
                    connection.settimeout(60)
                    connection.connect(("127.0.0.1", int(argv[1])))
                    connection.sendall(b64decode(text))
                    if "too long for the content" in name:
                        connection.shutdown(SHUT_WR)
                    line = connection.makefile("rb").readline(200).split()
                    status = int(line[1]) if len(line) > 1 else 0
            except ConnectionError:
                pass
            print(status)
        """

    /// The statuses that a server answers with.
    static func send(_ requests: [HostileRequest], to port: Int, in folder: String) throws -> [Int] {
        let list = requests.map { JSONValue.array([.string($0.name), .string(Data($0.octets).base64EncodedString())]) }
        try Files.write(folder + "/requests.json", JSONValue.array(list).bytes)
        try Files.write(folder + "/sender.py", Array(sender.utf8))
        let plan = ChildPlan(
            SampleLanguage.python.interpreter,
            [folder + "/sender.py", "\(port)", folder + "/requests.json"],
            environment: [:]
        )
        let (exit, output) = try plan.run(atMost: Patience.usual)
        guard exit.isSuccess else { throw ProgramFailure("the sender: \(String(decoding: output, as: UTF8.self))") }
        return String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
    }
}
