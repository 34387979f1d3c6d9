import Cryptography
import HTTPCore
import SimulatorCore
import StrictJSON

// Below `/_sim/ipn`: who is notified, what goes out, and what went wrong with it on purpose.

extension AmazonPayModel {
    mutating func controlNotifications(
        _ request: SimulatorRequest,
        _ parts: [String]
    ) throws(ControlError) -> SimulatorAnswer {
        switch (request.method, parts.first, parts.count) {
        case ("POST", nil, 0): return .json(200, try sendNotification(ControlBody(request)))
        case ("GET", "target", 1): return .json(200, targetsJSON)
        case ("POST", "target", 1): return .json(200, try setTarget(ControlBody(request)))
        case ("POST", "pause", 1):
            notices.queue.isPaused = true
            return .json(200, queueJSON)
        case ("POST", "resume", 1):
            notices.queue.isPaused = false
            return .json(200, queueJSON)
        case ("POST", "shuffle", 1):
            notices.queue.shuffle(&notices.mint)
            return .json(200, queueJSON)
        case ("POST", "rotate-cert", 1): return .json(200, try rotateCertificate())
        case ("GET", "deliveries", 1): return .json(200, deliveriesJSON(request.query))
        case ("GET", "anchor.pem", 1): return .pem(try senderKeys().rootPEM)
        case ("GET", "issuer.pem", 1): return .pem(try senderKeys().issuingPEM)
        default: throw ControlError(404, "There is no \(request.method) \(request.path).")
        }
    }

    /// The file of a signing certificate; `nil` for any other path.
    func certificateFile(_ request: SimulatorRequest) -> SimulatorAnswer? {
        guard request.method == "GET" || request.method == "HEAD" else { return nil }
        return notices.keys?.file(at: request.path, withIssuer: notices.servesIssuer).map { .pem($0) }
    }

    private mutating func setTarget(_ body: ControlBody) throws(ControlError) -> JSONValue {
        try body.check([
            .init("merchantId", .text(100)), .init("url", .url(512)), .init("topicArn", .text(256)),
            .init("version", .oneOf(NotificationTarget.Version.allCases.map(\.rawValue))),
            .init("certificateBase", .url(512)), .init("servesIssuer", .flag),
        ])
        notices.servesIssuer = body.value["servesIssuer"]?.flag ?? notices.servesIssuer
        let merchantID = try knownMerchant(body.value)
        guard let url = body.value["url"]?.text, !url.isEmpty else {
            notices.targets[merchantID] = nil
            return targetsJSON
        }
        guard let topic = body.value["topicArn"]?.text, !topic.isEmpty else {
            throw ControlError("topicArn is required: it is what the receiver holds notifications against.")
        }
        var target = NotificationTarget(url: url, topicARN: topic)
        target.version = body.value["version"]?.text.flatMap(NotificationTarget.Version.init) ?? .one
        target.certificateBase = body.value["certificateBase"]?.text
        _ = try senderKeys()
        notices.targets[merchantID] = target
        return targetsJSON
    }

    private mutating func sendNotification(_ body: ControlBody) throws(ControlError) -> JSONValue {
        try body.check([
            .init("merchantId", .text(100)), .init("objectId", .text(100)),
            .init("objectType", .oneOf(StateChange.Kind.allCases.map(\.rawValue))),
            .init("notificationType", .oneOf(["STATE_CHANGE", "ATTRIBUTE_CHANGE"])),
            .init("type", .oneOf(NotificationEnvelope.Kind.allCases.map(\.rawValue))), .init("subject", .text(100)),
            .init("version", .oneOf(["1", "2"])), .init("duplicates", .count), .init("delay", .text(40)),
            .init("corrupt", .oneOf(NotificationOrder.Corruption.allCases.map(\.rawValue))),
        ])
        let merchantID = try knownMerchant(body.value)
        guard notices.targets[merchantID] != nil else {
            throw ControlError(409, "The merchant \(merchantID) gets no notifications; set a target.")
        }
        var order = NotificationOrder()
        order.kind = body.value["type"]?.text.flatMap(NotificationEnvelope.Kind.init) ?? .notification
        if order.kind == .notification { order.change = try change(body.value, merchantID) }
        order.type = body.value["notificationType"]?.text ?? order.type
        order.subject = body.value["subject"]?.text
        order.version = body.value["version"]?.text
        order.corruption = body.value["corrupt"]?.text.flatMap(NotificationOrder.Corruption.init)
        order.duplicates = min(body.value["duplicates"]?.integer ?? 0, 1000)
        if let text = body.value["delay"]?.text {
            guard let delay = ISO8601.duration(text) else { throw ControlError("delay is not a duration like PT1H.") }
            order.delay = delay
        }
        do {
            try queue(order, for: merchantID)
        } catch {
            throw ControlError(500, "The notification cannot be signed: \(error).")
        }
        return queueJSON
    }

    /// What a notification is about: an object, known or made up.
    private func change(_ body: JSONValue, _ merchantID: String) throws(ControlError) -> StateChange {
        guard let id = body["objectId"]?.text, !id.isEmpty else { throw ControlError("objectId is required.") }
        let kind: StateChange.Kind
        if let named = body["objectType"]?.text.flatMap(StateChange.Kind.init) {
            kind = named
        } else if engine.charges[id] != nil {
            kind = .charge
        } else if engine.refunds[id] != nil {
            kind = .refund
        } else if engine.permissions[id] != nil {
            kind = .chargePermission
        } else {
            throw ControlError("objectType is required: there is no object \(id).")
        }
        // `S03-1234567-1234567`, with `-C…` or `-R…` behind it for what came of it.
        let permissionID = id.split(separator: "-").prefix(3).joined(separator: "-")
        return StateChange(kind: kind, objectID: id, permissionID: permissionID, merchantID: merchantID)
    }

    private mutating func rotateCertificate() throws(ControlError) -> JSONValue {
        do {
            try notices.rotate(now: realTime)
        } catch {
            throw ControlError(500, "No certificate can be made: \(error).")
        }
        return targetsJSON
    }

    private mutating func senderKeys() throws(ControlError) -> SenderKeys {
        do {
            return try notices.preparedKeys(now: realTime)
        } catch {
            throw ControlError(500, "No certificate can be made: \(error).")
        }
    }

    /// The merchant that a body names; the first one where it names none.
    private func knownMerchant(_ body: JSONValue) throws(ControlError) -> String {
        let named = body["merchantId"]?.text
        guard let merchant = configuration.merchants.first(where: { named == nil || $0.id == named }) else {
            throw ControlError(404, "There is no such merchant.")
        }
        return merchant.id
    }

    // MARK: What is shown

    private var targetsJSON: JSONValue {
        let targets = notices.targets.sorted { $0.key < $1.key }.map { id, target -> JSONValue in
            [
                "merchantId": .string(id), "url": .string(target.url), "topicArn": .string(target.topicARN),
                "version": .string(target.version.rawValue),
                "certificateBase": .string(target.certificateBase ?? configuration.baseURL),
            ]
        }
        let paths = notices.keys?.leaves.map { JSONValue.string($0.path) } ?? []
        return ["targets": .array(targets), "certificates": .array(paths)]
    }

    private var queueJSON: JSONValue {
        ["waiting": JSONValue(notices.queue.waiting.count), "paused": .bool(notices.queue.isPaused)]
    }

    private func deliveriesJSON(_ query: String) -> JSONValue {
        let bytes = Array(query.utf8)
        let since = try? HTTPParameters(bytes.span).value("since")
        let entries = notices.queue.deliveries(since: since.flatMap { Int($0) } ?? 0, limit: 5000)
        return [
            "entries": .array(entries.map(\.json)), "waiting": JSONValue(notices.queue.waiting.count),
            "paused": .bool(notices.queue.isPaused),
        ]
    }
}

extension SimulatorAnswer {
    fileprivate static func pem(_ bytes: [UInt8]) -> SimulatorAnswer {
        SimulatorAnswer(200, [("content-type", "application/x-pem-file"), ("cache-control", "no-store")], body: bytes)
    }
}
