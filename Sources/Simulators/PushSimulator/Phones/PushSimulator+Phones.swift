import EventIO
import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON

// What phones do by themselves and for the person who has them.

extension PushSimulator {
    /// Carries an order out as far as it goes at once; what is tried again goes on behind it.
    ///
    /// - Throws: 404 without the phone, 409 for a file that it refuses.
    func carryOut(_ order: PhoneOrder) async throws(ControlError) {
        let phone = order.phone
        guard model.phones[phone] != nil else { throw ControlError(404, "There is no such phone.") }
        switch order.kind {
        case .open(let url): try await open(url, on: phone)
        case .add(let archive): try await add(archive, lastModified: nil, on: phone)
        case .wake(let type): await wake(phone, type)
        case .daily: await wake(phone, nil)
        case .remove(let type, let serial): try await remove(type, serial, from: phone)
        case .updates(let isOn): await setUpdates(isOn, on: phone)
        case .online(let isOn): await setOnline(isOn, on: phone)
        case .wipe(let isReported): wipe(phone, isReported: isReported)
        case .newToken: await renewToken(of: phone)
        case .discard:
            if let token = model.phones[phone]?.pushToken { model.retire(token, isReported: false) }
            model.phones[phone] = nil
        }
    }

    /// A push was accepted for a phone.
    func deliver(_ delivery: PushModel.Delivery) {
        guard let phone = model.phones[delivery.phone] else { return }
        let topic = delivery.topic
        guard phone.isOnline else {
            guard !delivery.isForNowOnly else {
                note(
                    .failed,
                    PageText(
                        "\(topic) のプッシュは失われました。端末がオフで、保存しないプッシュでした",
                        "push for \(topic) lost: the phone is off, and the push was for now only"
                    ),
                    on: phone.number
                )
                return
            }
            let stored = Phone.StoredPush(at: reactor.wallNow, expiresAt: delivery.expiresAt)
            model.phones[phone.number]?.stored[topic.octets] = stored
            note(
                .stored,
                PageText("\(topic) のプッシュは端末がオンになるまで待ちます", "push for \(topic) waits until the phone is on"),
                on: phone.number
            )
            return
        }
        note(.pushed, PageText("\(topic) のプッシュ", "push for \(topic)"), on: phone.number)
        // The answer to a registration may come behind the push that follows from it.
        let key = Phone.tagKey(server: String(phone.number), type: topic)
        if registering[key] != nil { wokenEarly.insert(key) }
        reactor.startTask { await self.wake(phone.number, topic) }
    }

    func note(_ kind: Phone.Event.Kind, _ text: PageText, serial: String = "", on phone: Int) {
        model.phones[phone]?.note(kind, text, serial: serial, at: reactor.wallNow)
    }

    // MARK: Adding

    private func open(_ url: String, on phone: Int) async throws(ControlError) {
        guard model.phones[phone]?.isOnline == true else { throw ControlError(409, "The phone is off.") }
        let request = OutboundRequest(method: "GET", url: url, timeout: .seconds(30))
        let response: InboundResponse
        do throws(HTTPExchangeError) {
            response = try await exchange.send(request)
        } catch {
            throw ControlError(409, "The link does not answer: \(error.debugDescription).")
        }
        guard response.status == 200 else { throw ControlError(409, "The link answers with \(response.status).") }
        let type = response.first("content-type") ?? ""
        guard type.octets == "application/vnd.apple.pkpass" else {
            throw ControlError(409, "The link gives no pass, but \(type.isEmpty ? "no type" : type).")
        }
        try await add(response.body, lastModified: response.first("last-modified"), on: phone)
    }

    private func add(_ archive: [UInt8], lastModified: String?, on phone: Int) async throws(ControlError) {
        var card: Card
        switch judge.judge(archive, at: model.now) {
        case .bad(let reasons):
            let words = reasons.joined(separator: "; ")
            note(.refused, PageText("拒否しました: \(words)", "refused: \(words)"), on: phone)
            throw ControlError(409, "The phone refuses the pass: \(words)")
        case .good(let opened):
            guard let made = Card(opened, archive: archive) else { throw ControlError(409, "The pass has no number.") }
            card = made
        }
        card.lastModified = lastModified
        if let index = model.phones[phone]?.index(card.type, card.serial) {
            model.phones[phone]?.cards[index] = card
        } else {
            model.phones[phone]?.cards.append(card)
        }
        model.allow(card.type, on: phone)
        note(.added, PageText("追加しました", "added"), serial: card.serial, on: phone)
        await register(card.type, card.serial, on: phone)
    }

    // MARK: Registering

    /// Registers a pass, and once more after a failure of the server.
    private func register(_ type: String, _ serial: String, on phone: Int, attempt: Int = 0) async {
        guard let state = model.phones[phone], state.isOnline, state.getsUpdates,
            let card = state.index(type, serial).map({ state.cards[$0] }), let server = card.webService
        else { return }
        let token = state.pushToken
        let body: JSONValue = ["pushToken": .string(token)]
        let key = Phone.tagKey(server: String(phone), type: type)
        registering[key, default: 0] += 1
        let response = await send("POST", card, Self.registration(state.device, card), body: body)
        registering[key] = registering[key].flatMap { $0 > 1 ? $0 - 1 : nil }
        guard let index = model.phones[phone]?.index(type, serial), model.phones[phone]?.device == state.device
        else { return }
        switch response?.status {
        case 200, 201:
            model.phones[phone]?.cards[index].isRegistered = true
            let status = response?.status ?? 0
            note(.registered, PageText("登録しました (\(status))", "registered (\(status))"), serial: serial, on: phone)
            if wokenEarly.remove(key) != nil { reactor.startTask { await self.wake(phone, type) } }
        default:
            let message = Self.message(response?.status)
            note(.failed, PageText("登録: \(message)", "registration: \(message)"), serial: serial, on: phone)
            let problem = DeviceLogLine.Problem.register(device: state.device, serial: serial, message)
            await write([DeviceLogLine(type: type, webService: server, problem: problem)], of: phone)
            guard Self.isTemporary(response?.status), attempt < Self.attempts else { return }
            _ = reactor.schedule(after: Self.pause(attempt)) {
                self.reactor.startTask { await self.register(type, serial, on: phone, attempt: attempt + 1) }
            }
        }
    }

    /// Tells the server that a pass is not to be updated any more.
    private func unregister(_ card: Card, device: String, of phone: Int, attempt: Int = 0) async {
        guard let server = card.webService else { return }
        let response = await send("DELETE", card, Self.registration(device, card))
        guard response?.status != 200 else {
            note(.unregistered, PageText("登録を解除しました", "unregistered"), serial: card.serial, on: phone)
            return
        }
        let message = Self.message(response?.status)
        note(
            .failed,
            PageText("登録の解除: \(message)", "end of the registration: \(message)"),
            serial: card.serial,
            on: phone
        )
        let problem = DeviceLogLine.Problem.unregister(device: device, serial: card.serial, message)
        await write([DeviceLogLine(type: card.type, webService: server, problem: problem)], of: phone)
        guard Self.isTemporary(response?.status), attempt < Self.attempts else { return }
        _ = reactor.schedule(after: Self.pause(attempt)) {
            self.reactor.startTask { await self.unregister(card, device: device, of: phone, attempt: attempt + 1) }
        }
    }

    private static let attempts = 10

    /// One second, two, four and so on, a minute at most.
    private static func pause(_ attempt: Int) -> Duration { .seconds(attempt < 6 ? 1 << attempt : 60) }

    private static func isTemporary(_ status: Int?) -> Bool { status.map { $0 >= 500 } ?? true }

    private static func registration(_ device: String, _ card: Card) -> [String] {
        ["devices", device, "registrations", card.type, card.serial]
    }

    // MARK: Doing things with it

    private func remove(_ type: String, _ serial: String, from phone: Int) async throws(ControlError) {
        guard let state = model.phones[phone], let index = state.index(type, serial) else {
            throw ControlError(404, "There is no such pass on the phone.")
        }
        let card = state.cards[index]
        model.phones[phone]?.cards.remove(at: index)
        note(.removed, PageText("削除しました", "removed"), serial: serial, on: phone)
        await end(card, of: phone)
    }

    /// Ends the registration of a pass now, or when there is a network.
    private func end(_ card: Card, of phone: Int) async {
        guard card.isRegistered, let state = model.phones[phone] else { return }
        if state.isOnline {
            await unregister(card, device: state.device, of: phone)
        } else {
            model.phones[phone]?.owed.append(card)
        }
    }

    private func setUpdates(_ isOn: Bool, on phone: Int) async {
        guard let state = model.phones[phone], state.getsUpdates != isOn else { return }
        model.phones[phone]?.getsUpdates = isOn
        guard isOn else {
            for (index, card) in state.cards.enumerated() where card.isRegistered {
                model.phones[phone]?.cards[index].isRegistered = false
                await end(card, of: phone)
            }
            return
        }
        for card in state.cards { await register(card.type, card.serial, on: phone) }
        await wake(phone, nil)
    }

    private func setOnline(_ isOn: Bool, on phone: Int) async {
        guard let state = model.phones[phone], state.isOnline != isOn else { return }
        model.phones[phone]?.isOnline = isOn
        guard isOn else { return }
        model.phones[phone]?.owed = []
        model.phones[phone]?.stored = [:]
        for card in state.owed { await unregister(card, device: state.device, of: phone) }
        for card in state.cards where !card.isRegistered { await register(card.type, card.serial, on: phone) }
        for (topic, push) in state.stored.sorted(by: { $0.key < $1.key }) {
            if let end = push.expiresAt, end <= model.now { continue }
            let since = Phone.text(of: push.at)
            note(
                .pushed,
                PageText("\(topic) のプッシュ、\(since) から保留", "push for \(topic), stored since \(since)"),
                on: phone
            )
            await wake(phone, topic.string)
        }
    }

    private func wipe(_ phone: Int, isReported: Bool) {
        guard let old = model.phones[phone]?.pushToken else { return }
        model.retire(old, isReported: isReported)
        let (device, token) = (model.mint.token(), model.newToken(of: phone))
        model.phones[phone]?.wipe(device: device, pushToken: token)
        note(.wiped, PageText("消去しました。誰にも知らせていません", "wiped; nobody was told"), on: phone)
    }

    private func renewToken(of phone: Int) async {
        guard let state = model.phones[phone] else { return }
        model.retire(state.pushToken, isReported: false)
        let token = model.newToken(of: phone)
        model.phones[phone]?.change(pushToken: token)
        for card in state.cards {
            model.allow(card.type, on: phone)
            await register(card.type, card.serial, on: phone)
        }
    }

    // MARK: Talking to web services

    static func message(_ status: Int?) -> String {
        switch status {
        case nil: "The network connection was lost."
        case 401?: "Authentication failure"
        case let status?: DeviceLogLine.unexpected(status)
        }
    }

    /// Asks the web service of a pass.
    ///
    /// - Parameters:
    ///   - path: Behind `/v1`, not encoded.
    /// - Returns: `nil` where no answer comes.
    func send(
        _ method: String,
        _ card: Card,
        _ path: [String],
        query: String = "",
        fields: [(String, String)] = [],
        body: JSONValue? = nil,
        withToken: Bool = true
    ) async -> InboundResponse? {
        guard let server = card.webService else { return nil }
        var fields = fields
        if withToken, let token = card.token { fields.append(("Authorization", "ApplePass " + token.reveal())) }
        if body != nil { fields.append(("Content-Type", "application/json")) }
        let base = server.utf8.last == UInt8(ascii: "/") ? String(server.dropLast()) : server
        let request = OutboundRequest(
            method: method,
            url: base + "/v1/" + path.map(PercentEncoding.encode).joined(separator: "/") + query,
            fields: fields,
            body: body?.bytes ?? [],
            timeout: .seconds(30)
        )
        return try? await exchange.send(request)
    }

    /// Posts lines to the logs of their web services; nobody waits for the answer to count.
    func write(_ lines: [DeviceLogLine], of phone: Int) async {
        guard let state = model.phones[phone] else { return }
        for line in lines {
            let text = line.text(at: model.now)
            model.phones[phone]?.note(line: text)
            guard state.isOnline,
                let card = state.cards.first(where: { $0.webService?.octets == line.webService.octets })
            else { continue }
            let body: JSONValue = ["logs": [.string(text)]]
            _ = await send("POST", card, ["log"], body: body, withToken: false)
        }
    }
}
