import Cryptography
import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON

// What the store tells the developer's server.

extension AppStoreModel {
    /// What a notification is to say.
    struct NotificationDraft: Sendable {
        var environment: StoreEnvironment
        var type: String
        var subtype: String?
        /// Id of the purchase that it is about.
        var transaction: String?
        /// Why somebody wants the money back.
        var reason: String?
        /// Signed under a root that nobody believes: the whole, or the transaction in it.
        var isForeign = false
        var hasForeignTransaction = false
    }

    /// Tells the developer of a change, where he has an address.
    mutating func notify(
        _ type: String,
        subtype: String? = nil,
        about id: String,
        in environment: StoreEnvironment,
        reason: String? = nil
    ) throws(ControlError) {
        guard state.outbox.urls[environment] != nil else { return }
        do throws(CryptographyError) {
            try post(
                NotificationDraft(
                    environment: environment,
                    type: type,
                    subtype: subtype,
                    transaction: id,
                    reason: reason
                )
            )
        } catch { throw .signing(error) }
    }

    /// Makes a notification that goes out when it is due.
    ///
    /// - Returns: Its number.
    @discardableResult
    mutating func post(_ draft: NotificationDraft, testToken: String? = nil) throws(CryptographyError) -> Int {
        let time = now
        let uuid = mint.uuid()
        var payload = [JSONMember("notificationType", .string(draft.type))]
        if let subtype = draft.subtype { payload.append(JSONMember("subtype", .string(subtype))) }
        payload += [
            JSONMember("notificationUUID", .string(uuid)), JSONMember("version", "2.0"),
            JSONMember("signedDate", TextTimes(environment: draft.environment).value(time)),
            JSONMember("data", .object(try data(of: draft))),
        ]
        let number = state.outbox.nextNumber
        var notification = StoreNotification(
            number: number,
            environment: draft.environment,
            uuid: uuid,
            type: draft.type,
            subtype: draft.subtype,
            transaction: draft.transaction,
            signedAt: time,
            text: try sign(payload, in: draft.environment, with: draft.isForeign ? .foreign : nil)
        )
        notification.testToken = testToken
        notification.dueAt = state.outbox.holds ? nil : time + state.outbox.delay
        state.outbox.add(notification)
        return number
    }

    private mutating func data(of draft: NotificationDraft) throws(CryptographyError) -> [JSONMember] {
        var data = appMembers(in: draft.environment) + [JSONMember("bundleVersion", "1")]
        if let reason = draft.reason { data.append(JSONMember("consumptionRequestReason", .string(reason))) }
        guard let purchase = draft.transaction.flatMap({ state.stores[draft.environment]?.paid($0) }) else {
            return data
        }
        let flaw: AppStoreAuthority.Flaw? = draft.hasForeignTransaction ? .foreign : nil
        data.append(JSONMember("signedTransactionInfo", .string(try text(of: purchase, with: flaw))))
        if purchase.kind == .subscription {
            let renewal = try sign(renewalPayload(of: purchase), in: draft.environment)
            data += [
                JSONMember("signedRenewalInfo", .string(renewal)),
                JSONMember("status", JSONValue(purchase.status(at: now))),
            ]
        }
        return data
    }

    // MARK: Sending

    /// What is to be sent now.
    struct Delivery: Sendable {
        let number: Int
        let url: String
        let body: [UInt8]
        /// How often it goes out at once.
        let times: Int
    }

    /// How long a server may take for its answer.
    static let deliveryTimeout = Duration.seconds(30)

    /// The notifications whose time has come; the caller reports what becomes of each.
    mutating func takeDeliveries(at real: WallTime) -> [Delivery] {
        moveTo(real)
        let time = now
        var taken: [Delivery] = []
        for item in state.outbox.waiting.sorted().compactMap({ state.outbox.items[$0] }) {
            guard let due = item.dueAt, due <= time, let url = state.outbox.urls[item.environment] else { continue }
            let body: JSONValue = ["signedPayload": .string(item.text)]
            let times = 1 + state.outbox.duplicates
            taken.append(Delivery(number: item.number, url: url, body: body.bytes, times: times))
            state.outbox.update(item.number) { $0.isUnderWay = true }
        }
        return taken
    }

    /// Until the next one is due, by the simulated clock; `nil` where none waits.
    var untilNextDelivery: Duration? {
        let due = state.outbox.waiting.compactMap { state.outbox.items[$0] }.compactMap { item in
            state.outbox.urls[item.environment] == nil ? nil : item.dueAt
        }
        return due.min().map { .microseconds(max(0, $0.microseconds - now.microseconds)) }
    }

    /// Notes how a try has ended, and when the next one is.
    mutating func endDelivery(
        _ number: Int,
        _ result: StoreNotification.AttemptResult,
        status: Int?,
        at real: WallTime
    ) {
        moveTo(real)
        let (time, hour) = (now, state.outbox.hour)
        state.outbox.update(number) { item in
            item.attempts.append(.init(date: time, result: result, status: status))
            item.isUnderWay = false
            let hours = StoreNotification.hoursToNextTry(after: item.attempts.count, in: item.environment)
            item.dueAt = result == .success ? nil : hours.map { time + hour * $0 }
        }
    }

    // MARK: Control

    /// Calls about notifications.
    mutating func controlNotifications(
        _ request: SimulatorRequest,
        _ path: [String]
    ) throws(ControlError) -> SimulatorAnswer? {
        switch (request.method, path.first ?? "", path.count) {
        case ("GET", "", 0): break
        case ("POST", "", 0): try sendByHand(ControlBody(request))
        case ("POST", "options", 1): try state.outbox.apply(ControlBody(request))
        case ("POST", let number, 2) where path[1].octets == "send":
            guard let number = Int(number), let item = state.outbox.items[number] else {
                throw ControlError(404, "There is no such notification.")
            }
            guard !item.isUnderWay else { throw ControlError(409, "The notification is under way.") }
            let time = now
            state.outbox.update(number) { $0.dueAt = time }
        default: return nil
        }
        let list = JSONMember("notifications", .array(state.outbox.all.map(\.json)))
        return .json(200, .object(state.outbox.members + [list]))
    }

    /// Any notification that a tester wants, also one that the store would never send.
    private mutating func sendByHand(_ body: ControlBody) throws(ControlError) {
        try body.check([
            .init("type", .text(100), isRequired: true), .init("subtype", .text(100)),
            .init("transactionId", .text(40)), .init("foreignSignature", .flag), .init("foreignTransaction", .flag),
            .init("environment", .oneOf(["Production", "Sandbox"])),
        ])
        let value = body.value
        var environment = value["environment"]?.text.flatMap { StoreEnvironment(word: $0.octets) } ?? .sandbox
        let transaction = value["transactionId"]?.text
        if let transaction { environment = try purchase(transaction).environment }
        guard state.outbox.urls[environment] != nil else {
            throw ControlError(409, "There is no address for \(environment.rawValue); POST notifications/options.")
        }
        do throws(CryptographyError) {
            try post(
                NotificationDraft(
                    environment: environment,
                    type: value["type"]?.text ?? "",
                    subtype: value["subtype"]?.text,
                    transaction: transaction,
                    isForeign: value["foreignSignature"]?.flag ?? false,
                    hasForeignTransaction: value["foreignTransaction"]?.flag ?? false
                )
            )
        } catch { throw .signing(error) }
    }
}
