import AmazonPaySimulator
import EventIO
import HTTPCore
import HTTPServer
import Primitives
import StrictJSON
import TestKit
import Testing

@Suite("Notifications on a socket")
struct NotificationWireTests {
    @Test func `reach a receiver, and are tried again an hour later`() async throws {
        try await withSimulator { bench in
            let receiver = Receiver()
            let server = Server(
                ServerConfiguration(
                    name: "receiver",
                    listeners: [.init(SocketAddress(v4: 0x7F00_0001, port: 0), .clear)]
                )
            )
            try server.attach(to: bench.reactor, handler: receiver)
            let url = "http://127.0.0.1:\(server.boundAddresses[0].port)/ipn"
            try await bench.control("POST", "ipn/target", ["url": .string(url), "topicArn": "topic"])
            receiver.status = 500
            let charge: JSONValue = ["objectId": "S03-0000000-0000000-C000000", "objectType": "CHARGE"]
            try await bench.control("POST", "ipn", charge)
            #expect(try await bench.tries(1) == [500])
            receiver.status = 200
            try await bench.control("POST", "clock", ["advance": "PT1H"])
            #expect(try await bench.tries(2) == [500, 200])
            #expect(receiver.bodies.count == 2)
            #expect(receiver.bodies.first == receiver.bodies.last)
            let body = try JSONParser.parse(receiver.bodies.first ?? [])
            let certificate = try await bench.send("GET", body["SigningCertURL"]?.text ?? "")
            #expect(certificate.status == 200)
            #expect(String(decoding: certificate.body, as: UTF8.self).hasPrefix("-----BEGIN CERTIFICATE-----"))
            await server.drain()
        }
    }

    @Test func `that reach nobody are tried again`() async throws {
        try await withSimulator { bench in
            try await bench.control(
                "POST",
                "ipn/target",
                ["url": "http://127.0.0.1:1/ipn", "topicArn": "topic"]
            )
            let charge: JSONValue = ["objectId": "S03-0000000-0000000-C000000", "objectType": "CHARGE"]
            try await bench.control("POST", "ipn", charge)
            #expect(try await bench.tries(1) == [nil])
            let entry = try await bench.control("GET", "ipn/deliveries")["entries"]?.elements.first
            #expect(entry?["nextTry"] != nil)
        }
    }
}

extension WireBench {
    /// The answers to the tries so far, once there are so many.
    fileprivate func tries(_ count: Int) async throws -> [Int?] {
        let patience = Patience()
        while patience.isLeft {
            let entries = try await control("GET", "ipn/deliveries")["entries"]?.elements ?? []
            if entries.count >= count { return entries.map { $0["status"]?.integer } }
        }
        return []
    }
}

/// Somebody who is notified.
private final class Receiver: RequestHandler {
    var status = 200
    private(set) var bodies: [[UInt8]] = []

    func handle(_ request: HTTPRequest) -> HandlerResult {
        bodies.append(request.body)
        return .now(HTTPResponse(HTTPStatus(status) ?? .internalError))
    }
}
