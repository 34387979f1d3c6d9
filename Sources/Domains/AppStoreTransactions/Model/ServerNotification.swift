package import Primitives
package import StrictJSON

/// A message of the App Store to our server, as Apple signed it.
///
/// The texts inside are signed on their own: that this one is good says nothing about them.
package struct ServerNotification: Sendable {
    /// The same at every delivery.
    package let id: String
    /// What it is about.
    package let type: NotificationType
    /// What it is about in detail.
    package let subtype: String?
    /// For example `2.0`.
    package let version: String?
    /// When Apple signed it; 1970 where it does not say.
    package let signed: WallTime
    /// The app's name, the verifier's.
    package let bundleID: String
    /// The app's number.
    package let appAppleID: Int64?
    /// The verifier's environment.
    package let environment: AppStoreEnvironment
    /// The details.
    package let subject: NotificationSubject
    /// Everything that was signed, with texts inside that were not verified.
    package let payload: JSONValue

    /// The signed transaction inside, not verified.
    package var signedTransaction: String? {
        if case .purchase(let purchase) = subject { purchase.signedTransaction } else { nil }
    }

    /// The signed renewal information inside, not verified.
    package var signedRenewal: String? {
        if case .purchase(let purchase) = subject { purchase.signedRenewal } else { nil }
    }

    /// The signed app transaction inside, not verified.
    package var signedAppTransaction: String? {
        if case .app(let text) = subject { text } else { nil }
    }
}

/// The details of a notification; exactly one of these.
package enum NotificationSubject: Sendable {
    /// A purchase or a subscription.
    case purchase(NotifiedPurchase)
    /// Renewal dates of all subscribers were extended.
    case extensionSummary(ExtensionSummary)
    /// A purchase outside the App Store.
    case externalPurchase(ExternalPurchaseToken)
    /// The app; with its signed app transaction, which is not verified.
    case app(signedAppTransaction: String?)
}

/// A purchase or a subscription in a notification.
package struct NotifiedPurchase: Sendable {
    /// The version of the app.
    package let bundleVersion: String?
    /// Not verified; absent in tests.
    package let signedTransaction: String?
    /// Not verified; subscriptions have it.
    package let signedRenewal: String?
    /// 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
    package let status: Int?
    /// Why the customer wants a refund, for example `UNINTENDED_PURCHASE`.
    package let consumptionRequestReason: String?
}

/// The outcome of an extension of all renewal dates.
package struct ExtensionSummary: Sendable, Hashable {
    /// The identifier of our request.
    package let requestID: OctetText?
    /// The product.
    package let productID: OctetText?
    /// How many subscriptions were extended.
    package let succeeded: Int?
    /// How many were not.
    package let failed: Int?
}

/// A token of a purchase outside the App Store.
package struct ExternalPurchaseToken: Sendable, Hashable {
    /// Its name; of the sandbox where it begins with `SANDBOX`.
    package let id: OctetText?
    /// When it was made.
    package let created: WallTime?
    /// For example `SERVICES`.
    package let type: OctetText?
    /// When it ends.
    package let expires: WallTime?
}

/// Reads the payload of a notification in steps: what it is, whose it is, and the rest.
struct NotificationReader {
    let reader: PayloadReader
    /// The object that says whose it is; `nil` where none of them is there.
    let subject: PayloadReader?
    private let kind: Kind?
    private let id: String
    private let type: String

    private enum Kind: String, CaseIterable {
        case data, summary, externalPurchaseToken, appData
    }

    /// - Throws: `wrongKind` where a member is missing that makes the kind.
    init(_ payload: JSONValue) throws(SignedTextRefusal) {
        reader = PayloadReader(payload: payload)
        id = try reader.kindMaker("notificationUUID")
        type = try reader.kindMaker("notificationType")
        kind = Kind.allCases.first { payload[$0.rawValue] != nil }
        subject = if let kind { try reader.object(kind.rawValue) } else { nil }
    }

    /// The environment that the notification says it is of.
    func environment() throws(SignedTextRefusal) -> String? {
        guard let subject else { return nil }
        guard kind == .externalPurchaseToken else { return try subject.text("environment") }
        let isSandbox = try subject.text("externalPurchaseId")?.octets.starts(with: "SANDBOX") ?? false
        return (isSandbox ? AppStoreEnvironment.sandbox : .production).rawValue
    }

    func notification(
        of bundleID: String,
        in environment: AppStoreEnvironment
    ) throws(SignedTextRefusal) -> ServerNotification {
        ServerNotification(
            id: id,
            type: NotificationType(word: type.octets),
            subtype: try reader.identifier("subtype"),
            version: try reader.text("version"),
            signed: try reader.time("signedDate") ?? WallTime(seconds: 0),
            bundleID: bundleID,
            appAppleID: try subject?.longInteger("appAppleId"),
            environment: environment,
            subject: try details(),
            payload: reader.payload
        )
    }

    private func details() throws(SignedTextRefusal) -> NotificationSubject {
        guard let kind, let subject else { throw .wrongKind(.missingMember) }
        switch kind {
        case .data:
            return .purchase(
                NotifiedPurchase(
                    bundleVersion: try subject.text("bundleVersion"),
                    signedTransaction: try subject.signedText("signedTransactionInfo"),
                    signedRenewal: try subject.signedText("signedRenewalInfo"),
                    status: try subject.integer("status"),
                    consumptionRequestReason: try subject.text("consumptionRequestReason")
                )
            )
        case .summary:
            return .extensionSummary(
                ExtensionSummary(
                    requestID: try subject.text("requestIdentifier")?.octets,
                    productID: try subject.text("productId")?.octets,
                    succeeded: try subject.integer("succeededCount"),
                    failed: try subject.integer("failedCount")
                )
            )
        case .externalPurchaseToken:
            return .externalPurchase(
                ExternalPurchaseToken(
                    id: try subject.text("externalPurchaseId")?.octets,
                    created: try subject.time("tokenCreationDate"),
                    type: try subject.text("tokenType")?.octets,
                    expires: try subject.time("tokenExpirationDate")
                )
            )
        case .appData: return .app(signedAppTransaction: try subject.signedText("signedAppTransactionInfo"))
        }
    }
}
