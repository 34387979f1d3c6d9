import DeviceAttestation
import EventIO
import HTTPCore
import Operations
import Postgres
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import Web

// A device token that is posted as a form, by apps that have no account: it reads a device, and marks it, and gives nothing.

extension DeviceCheckPart {
    /// Octets of a post, every character of a token escaped.
    private static let longestPost = 65_536
    /// Stands in the history where others have an account.
    static let nobody = UUIDBytes(high: 0, low: 0)

    /// The route; nobody has to show anything but a token, so that requests are counted before they are looked at.
    static func formRoutes(at path: String) -> RouteGroup<DeviceCheckPart> {
        RouteGroup(
            on: .web,
            .json,
            [
                Route(
                    .post,
                    RoutePattern(path),
                    "an app without an account reads and marks its device",
                    bodyLimit: longestPost,
                    receive
                )
                .guarded { part, request throws(Failure) in try part.limit(request) }
            ]
        )
    }

    /// Each post is two calls at Apple's: those of one address are few, and those of all leave room for accounts.
    private func limit(_ request: HTTPRequest) throws(Failure) {
        let now = loop.reactor.now
        try process.addresses.take(request.peer.keys, at: now)
        try process.posts.take(0, at: now)
    }

    private func receive(_ request: HTTPRequest) async throws -> HTTPResponse {
        let token = try DeviceCheckPart.posted(request.body)
        // What has begun is finished although the sender goes away.
        let answer = try await loop.shield.runToCompletion { () async throws(Failure) in
            try await self.take(posted: token)
        }
        return HTTPResponse(.ok, block: loop.headers.json, body: .bytes(Array((answer.description + "\n").utf8)))
    }

    /// The token of a content, which is a form or JSON, whatever its type says.
    static func posted(_ content: [UInt8]) throws(Failure) -> DeviceToken {
        let text: String?
        do {
            if content.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
                let value = try JSONParser.parse(content)
                text = (value["deviceToken"] ?? value["device_token"])?.text
            } else {
                // Apps that escape nothing send a plus as it is, which a form reads as a blank; a token has none.
                text = try HTTPParameters(content.span).value("deviceToken").map { text in
                    String(decoding: text.utf8.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 }, as: UTF8.self)
                }
            }
        } catch {
            throw Failure(.invalidRequest, "\(error)")
        }
        guard let text, !text.isEmpty else { throw Failure(.invalidRequest, "deviceToken is missing") }
        do throws(DeviceTokenRefusal) {
            return try DeviceToken(text)
        } catch {
            throw Failure(.deviceTokenMalformed, "\(error)")
        }
    }

    /// Reads a device and raises it to the state of `device_check.form_event`.
    private func take(posted token: DeviceToken) async throws(Failure) -> JSONValue {
        let flow = UUIDBytes(version4: loop.reactor.random)
        let isNew = try await Failure.mapErrors {
            try await loop.database.write(DeviceStatement.show(flow, hash(token)), key: flow).first()
        }
        guard isNew else {
            metrics.countReplay()
            throw Failure(.deviceTokenUsed)
        }
        var rows: [JSONValue] = []
        let result: Result<JSONValue, Failure>
        do throws(Failure) {
            result = .success(try await mark(token, &rows))
        } catch {
            result = .failure(error)
        }
        let notes = JSONValue.array(rows).description
        try await Failure.mapErrors {
            try await loop.database.write(DeviceStatement.note(DeviceCheckPart.nobody, flow, notes), key: flow).first()
        }
        return try result.get()
    }

    private func mark(_ token: DeviceToken, _ rows: inout [JSONValue]) async throws(Failure) -> JSONValue {
        guard case .record(let record) = try await ask(.query, token, &rows) else { throw Failure(.internalError) }
        let (policies, event) = (process.policies, process.settings.form.event)
        let before = policies.meaning.state(of: record)
        var state = before
        if let write = policies.mark(of: process.settings.form).flatMap({ policies.meaning.write($0, over: record) }) {
            _ = try await ask(.update(write.bits), token, &rows)
            state = write.state
        }
        metrics.countPost(state == before ? "unchanged" : "marked")
        rows.append([
            "kind": "mark", "purpose": .string(event), "outcome": .string(state.rawValue),
            "detail": ["before": .string(before.rawValue), "from": "form"],
        ])
        return ["object": "devicePost", "before": .string(before.rawValue), "state": .string(state.rawValue)]
    }

    /// Asks Apple about a token that was posted.
    ///
    /// - Throws: `device_token_refused`, `device_check_unavailable`: nothing waits, as nobody has an account here.
    private func ask(
        _ request: DeviceCheckRequest,
        _ token: DeviceToken,
        _ rows: inout [JSONValue]
    ) async throws(Failure) -> DeviceCheckAnswer {
        guard let service else { throw Failure(.deviceCheckUnavailable) }
        let environment = process.settings.environment
        let reply = await service.ask(request, about: token, in: environment)
        rows.append(reply.row(of: request.call, in: environment))
        switch reply.answer {
        case .record, .ok: return reply.answer
        case .badDeviceToken:
            metrics.countPost("refused")
            throw Failure(.deviceTokenRefused)
        case .badRequest, .credentials, .credentialsExpired, .throttled, .unavailable, .unreadable:
            metrics.countPost("failed")
            throw unavailable(reply)
        }
    }
}
