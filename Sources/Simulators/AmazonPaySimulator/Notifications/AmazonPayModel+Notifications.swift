import Cryptography
package import Primitives
import SimulatorCore

// From the changes of the objects to requests at the merchants' receivers. Envelopes carry the real time, because that is what
// receivers hold against them; when they go out is for the simulated clock.

extension AmazonPayModel {
    /// A notification that goes out now.
    package struct PendingDelivery: Sendable {
        /// The argument of `endDelivery`.
        package let number: Int
        /// The merchant's receiver.
        package let url: String
        /// Names and values.
        package let fields: [(name: String, value: String)]
        /// The content.
        package let body: [UInt8]
    }

    /// How long a receiver may take to answer.
    package static let deliveryTimeout = NotificationQueue.patience

    /// The notifications that are due; each has to be ended.
    ///
    /// - Returns: In the order of the queue.
    package mutating func takePendingDeliveries(at real: WallTime) -> [PendingDelivery] {
        moveTo(real)
        return notices.queue.takeDue(at: engine.now).map { outgoing in
            PendingDelivery(number: outgoing.number, url: outgoing.url, fields: outgoing.fields, body: outgoing.body)
        }
    }

    /// Notes how a delivery went.
    ///
    /// - Parameters:
    ///   - status: The receiver's answer; `nil` where none came in time.
    package mutating func endDelivery(_ number: Int, status: Int?, at real: WallTime) {
        moveTo(real)
        notices.queue.finish(number, status: status, at: engine.now)
    }

    /// How long it takes until something may have to go out without anybody asking; `nil` while nothing is planned.
    package var untilNextDelivery: Duration? {
        let next = [engine.agenda.next, notices.queue.nextDue].compactMap(\.self).min()
        return next.map { .microseconds(max(0, $0.microseconds - engine.now.microseconds)) }
    }

    /// Turns the changes since last time into notifications.
    mutating func queueChanges() {
        for change in engine.changes.takeAll() where notices.targets[change.merchantID] != nil {
            var order = NotificationOrder()
            order.change = change
            do {
                try queue(order, for: change.merchantID)
            } catch {
                // Without a certificate nothing can be sent; the control interface reports it when it is asked for one.
            }
        }
    }

    /// Signs a notification and puts it into the queue; a merchant who gets none is left alone.
    ///
    /// - Throws: `failed` where OpenSSL refuses.
    mutating func queue(_ order: NotificationOrder, for merchantID: String) throws(CryptographyError) {
        guard let target = notices.targets[merchantID] else { return }
        let leaf = try notices.leaf(order.corruption?.flaw, now: realTime)
        var envelope = self.envelope(order, target, leaf)
        envelope.corruptBeforeSigning(order.corruption)
        let signature = envelope.corrupted(try envelope.signature(by: leaf.key), order.corruption)
        if order.corruption == .message { envelope.message += " " }
        let (sent, body, dueAt) = (envelope, envelope.body(signature: signature), engine.now + order.delay)
        for _ in 0...order.duplicates {
            notices.queue.add { number in
                Outgoing(
                    number: number,
                    merchantID: merchantID,
                    url: target.url,
                    messageID: sent.messageID,
                    change: order.change,
                    fields: sent.fields,
                    body: body,
                    dueAt: dueAt
                )
            }
        }
    }

    private mutating func envelope(
        _ order: NotificationOrder,
        _ target: NotificationTarget,
        _ leaf: SenderKeys.Leaf
    ) -> NotificationEnvelope {
        let base = target.certificateBase ?? configuration.baseURL
        let subscription = "\(target.topicARN):\(notices.mint.uuid())"
        var envelope = NotificationEnvelope(
            messageID: notices.mint.uuid(),
            topicARN: target.topicARN,
            message: "",
            timestamp: AmazonPayModel.timestamp(realTime),
            certificateURL: base + leaf.path
        )
        envelope.kind = order.kind
        envelope.version = order.version ?? notices.nextVersion(for: target)
        if let change = order.change, order.kind == .notification {
            envelope.subject = order.subject
            envelope.message = NotificationEnvelope.message(
                about: change,
                type: order.type,
                notificationID: notices.mint.uuid()
            )
            envelope.unsubscribeURL = "\(base)/?Action=Unsubscribe&SubscriptionArn=\(subscription)"
        } else {
            let token = notices.mint.token() + notices.mint.token()
            envelope.message = "You have chosen to change the subscription to the topic \(target.topicARN)."
            envelope.token = token
            envelope.subscribeURL =
                "\(base)/?Action=ConfirmSubscription&TopicArn=\(target.topicARN)&Token=\(token)"
        }
        return envelope
    }

    /// With the milliseconds, as the real sender writes it.
    private static func timestamp(_ time: WallTime) -> String {
        let milliseconds = String(time.microseconds / 1000 % 1000)
        let padding = String(repeating: "0", count: max(0, 3 - milliseconds.count))
        return String(CalendarDate(time).extendedText.dropLast()) + ".\(padding)\(milliseconds)Z"
    }
}

extension NotificationOrder.Corruption {
    /// The certificate that it needs; `nil` for a good one.
    fileprivate var flaw: SenderKeys.Flaw? { SenderKeys.Flaw(rawValue: rawValue) }
}

extension NotificationEnvelope {
    /// What is wrong and signed all the same.
    fileprivate mutating func corruptBeforeSigning(_ corruption: NotificationOrder.Corruption?) {
        switch corruption {
        case .topic: topicARN += "-of-somebody-else"
        case .version: version = "3"
        case .certUrl:
            let path = certificateURL.split(separator: "/").last ?? ""
            certificateURL = "https://sns.ap-northeast-1.amazonaws.com.example.test/\(path)"
        case .message, .signature, .expiredCert, .wrongName, .unrelatedRoot, nil: break
        }
    }

    /// The signature as it is sent.
    fileprivate func corrupted(_ signature: String, _ corruption: NotificationOrder.Corruption?) -> String {
        guard corruption == .signature, let first = signature.first else { return signature }
        return String(first == "A" ? "B" : "A") + String(signature.dropFirst())
    }
}
