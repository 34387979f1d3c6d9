import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON

// How a phone gets the new version of a pass.

extension PushSimulator {
    /// Asks web services what has changed, and gets it; what comes meanwhile makes it ask once more.
    ///
    /// - Parameter type: `nil` for each type that is on the phone.
    func wake(_ phone: Int, _ type: String?) async {
        guard let state = model.phones[phone], state.isOnline, state.getsUpdates else { return }
        let types = Set(state.cards.filter(\.isRegistered).map(\.type.octets))
        for one in types.sorted() where type == nil || type?.octets == one {
            await ask(phone, one.string)
        }
    }

    private func ask(_ phone: Int, _ type: String) async {
        let key = Phone.tagKey(server: String(phone), type: type)
        guard asking.insert(key).inserted else {
            askingAgain.insert(key)
            return
        }
        defer { asking.remove(key) }
        repeat {
            askingAgain.remove(key)
            let cards = model.phones[phone]?.cards.filter { $0.isRegistered && $0.type.octets == type.octets } ?? []
            // One question for each server that has passes of the type here.
            var servers: Set<OctetText> = []
            for card in cards {
                guard let server = card.webService, servers.insert(server.octets).inserted else { continue }
                await list(card, server, of: phone)
            }
        } while askingAgain.contains(key)
    }

    // MARK: List

    private func list(_ card: Card, _ server: String, of phone: Int) async {
        guard let state = model.phones[phone] else { return }
        let key = Phone.tagKey(server: server, type: card.type)
        let tag = state.tags[key]
        let response = await send(
            "GET",
            card,
            ["devices", state.device, "registrations", card.type],
            query: tag.map { "?passesUpdatedSince=" + PercentEncoding.encode($0) } ?? "",
            withToken: false
        )
        func complain(_ message: String) async {
            note(.failed, PageText("一覧: \(message)", "list: \(message)"), on: phone)
            let problem = DeviceLogLine.Problem.list(device: state.device, tag: tag, message)
            await write([DeviceLogLine(type: card.type, webService: server, problem: problem)], of: phone)
        }
        guard let response else { return await complain(Self.message(nil)) }
        guard response.status != 204 else {
            return note(.listed, PageText("一覧: 新しいものはありません", "list: nothing new"), on: phone)
        }
        guard response.status == 200 else { return await complain(DeviceLogLine.unexpected(response.status)) }
        guard let body = try? JSONParser.parse(response.body), let next = body["lastUpdated"]?.text,
            case .array(let elements)? = body["serialNumbers"], !elements.contains(where: { $0.text == nil })
        else { return await complain("Received an invalid response") }
        let serials = elements.compactMap(\.text)
        note(
            .listed,
            PageText("一覧: \(serials.count)件の変更、タグ \(next)", "list: \(serials.count) changed, tag \(next)"),
            on: phone
        )
        model.phones[phone]?.tags[key] = next
        for serial in serials {
            if let index = model.phones[phone]?.index(card.type, serial),
                let owned = model.phones[phone]?.cards[index], owned.webService?.octets == server.octets
            {
                await get(owned, server, of: phone)
            } else {
                let message = "Server requested update to serial number '\(serial)', but no such pass is registered."
                await report(.service(message), card.type, server, serial: serial, of: phone)
            }
        }
    }

    private func report(
        _ problem: DeviceLogLine.Problem,
        _ type: String,
        _ server: String,
        serial: String,
        of phone: Int
    ) async {
        let line = DeviceLogLine(type: type, webService: server, problem: problem)
        note(.failed, PageText(line.text(at: model.now)), serial: serial, on: phone)
        await write([line], of: phone)
    }

    // MARK: Get

    private func get(_ card: Card, _ server: String, of phone: Int) async {
        let since = card.lastModified
        let response = await send(
            "GET",
            card,
            ["passes", card.type, card.serial],
            fields: since.map { [("If-Modified-Since", $0)] } ?? []
        )
        func complain(_ problem: DeviceLogLine.Problem) async {
            await report(problem, card.type, server, serial: card.serial, of: phone)
        }
        func failed(_ message: String) -> DeviceLogLine.Problem {
            .get(serial: card.serial, ifModifiedSince: since, message)
        }
        switch response?.status {
        case 304?:
            note(.fetched, PageText("取得: 変更なし (304)", "get: unchanged (304)"), serial: card.serial, on: phone)
            await complain(
                .service("Server requested update to serial number '\(card.serial)', but the pass was unchanged.")
            )
        case 200?:
            guard let response else { return }
            let size = response.body.count
            note(.fetched, PageText("取得: \(size)バイト", "get: \(size) bytes"), serial: card.serial, on: phone)
            for problem in take(response, in: card, of: phone) { await complain(problem) }
        case 401?:
            await complain(failed(Self.message(401)))
            if let index = model.phones[phone]?.index(card.type, card.serial) {
                model.phones[phone]?.cards[index].isRegistered = false
            }
        case let status: await complain(failed(Self.message(status)))
        }
    }

    /// Puts a new version in the place of the old one, if it is one.
    ///
    /// - Returns: What is wrong with the answer.
    private func take(_ response: InboundResponse, in card: Card, of phone: Int) -> [DeviceLogLine.Problem] {
        let invalid = DeviceLogLine.Problem.get(
            serial: card.serial,
            ifModifiedSince: card.lastModified,
            "Received invalid pass data."
        )
        guard case .good(let opened) = judge.judge(response.body, at: model.now),
            var next = Card(opened, archive: response.body), next.isSame(card.type, card.serial)
        else { return [invalid] }
        guard let index = model.phones[phone]?.index(card.type, card.serial) else { return [] }
        var problems: [DeviceLogLine.Problem] = []
        next.lastModified = response.first("last-modified")
        if next.lastModified == nil {
            problems.append(
                .service("Response to pass request for serial number '\(card.serial)' lacks a last-modified header.")
            )
        }
        if card.lastModified != nil, next.archive == card.archive {
            problems.append(
                .service(
                    "Server ignored the if-modified-since header and returned the full unchanged pass data for serial "
                        + "number '\(card.serial)'."
                )
            )
        }
        next.isRegistered = card.isRegistered && next.webService != nil
        next.changes = card.changes(to: next, in: Phone.languages)
        model.phones[phone]?.cards[index] = next
        show(next, behind: card, of: phone)
        return problems
    }

    private func show(_ card: Card, behind old: Card, of phone: Int) {
        let english = old.changes(to: card, in: PageLanguage.english.ofPasses)
        for change in card.changes {
            // A text that is the same in one language may be another in the other.
            let translated = english.first { $0.key.octets == change.key.octets } ?? change
            let text = PageText(
                change.message ?? "\(change.key): \(change.old) → \(change.new)（通知なし）",
                translated.message
                    ?? "\(translated.key): \(translated.old) → \(translated.new), without a notice"
            )
            note(.shown, text, serial: card.serial, on: phone)
        }
        if card.changes.isEmpty {
            let text = PageText("表示に変わりはありません", "nothing seen has changed")
            note(.shown, text, serial: card.serial, on: phone)
        }
        if card.webService == nil {
            let text = PageText("カードに更新の宛先がなくなりました", "the pass has no web service any more")
            note(.unregistered, text, serial: card.serial, on: phone)
        }
    }
}
