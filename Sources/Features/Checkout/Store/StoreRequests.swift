package import Primitives
package import SessionBroker

/// A webview session to be stored.
package struct NewWebviewSession: Sendable {
    /// Made by the caller; unique.
    package let id: WebviewSessionID
    /// Whose.
    package let client: ClientKind
    /// The hash of the launch ticket.
    package let launchHash: Digest32
    /// The hash of the app proof; `nil` only in profile compat.
    package let appHash: Digest32?
    /// The bound challenge, if any.
    package let challenge: Digest32?
    /// The order, as JSON and as sums.
    package let order: StoredOrder
}

/// An order as columns.
package struct StoredOrder: Sendable {
    /// Canonical JSON of the lines.
    package let json: [UInt8]
    /// Whole yen, tax excluded.
    package let subtotal: Int64
    /// Whole yen, tax included; below zero where discounts pay a part of the postage.
    package let taxIncluded: Int64
}

/// Somebody presents a launch ticket.
struct OpenRequest: Sendable {
    /// The webview session the ticket names.
    let webviewSession: WebviewSessionID
    /// The hash of the ticket.
    let launchHash: Digest32
    /// The hash of a tab token that nobody has seen, to be set if the ticket opens.
    let freshTabHash: Digest32
    /// The hash of the tab cookie, if there is one.
    let tabHash: Digest32?
    /// The hash of the app cookie, if there is one.
    let appHash: Digest32?
    /// Whether a second use right after the first is to be asked for again before it is decided.
    let putsOff: Bool
}

/// A tab comes back from the provider with a session that was read.
struct ReviewRequest: Sendable {
    /// The webview session the tab token names.
    let webviewSession: WebviewSessionID
    /// The hash of the tab token.
    let tabHash: Digest32
    /// The hash of the return ticket that follows from it.
    let returnHash: Digest32
    /// The provider's checkout session.
    let orderReference: String
    /// Whole yen; `nil` where nothing is sent to the address: then there is no total either.
    let postage: Int64?
    /// The private details, sealed under the return ticket.
    let sealed: [UInt8]
    /// Stands for what the page is going to show.
    let shown: Digest32
}

/// The buyer agrees to the total.
struct PlaceRequest: Sendable {
    /// The webview session both tokens name.
    let webviewSession: WebviewSessionID
    /// The hash of the tab token.
    let tabHash: Digest32
    /// The hash of the return ticket.
    let returnHash: Digest32
    /// The total that the page showed, if it says.
    let total: Int64?
    /// The mark of what the page showed, if it says.
    let shown: Digest32?
}

/// Everything a purchase request proves itself with, as hashes.
struct PurchaseEvidence: Sendable {
    /// The webview session the return ticket names.
    let webviewSession: WebviewSessionID
    /// The hash of the return ticket.
    let returnHash: Digest32
    /// The hash of the app proof, if given.
    let appHash: Digest32?
    /// SHA-256 of the verifier, if given.
    let challenge: Digest32?
    /// The hash of the old launch ticket, if given.
    let launchHash: Digest32?
    /// The hash of the tab cookie, if given.
    let tabHash: Digest32?
    /// The provider's checkout session, as the link said it.
    let orderReference: String
    /// The total that the page showed, if it says.
    let total: Int64?
}

/// Everything a receipt request proves itself with, as hashes.
struct ReceiptRequest: Sendable {
    /// The webview session the return ticket names.
    let webviewSession: WebviewSessionID
    /// The hash of the return ticket.
    let returnHash: Digest32
    /// The hash of the app proof, if given.
    let appHash: Digest32?
    /// The hash of the tab cookie, if given.
    let tabHash: Digest32?
}

/// How an attempt ended.
package enum AttemptOutcome: Sendable {
    /// The provider said yes.
    case authorized(Authorization)
    /// The provider said no, for a reason of its own vocabulary.
    case declined(reason: String)
}

/// What the provider said yes with.
package struct Authorization: Sendable {
    /// The answer to the app, byte for byte; every repeat gets the same.
    package let answer: [UInt8]
    /// The provider's charge permission id.
    package let chargePermission: String?
    /// The provider's charge id.
    package let charge: String?
    /// Whether the money is being taken already, and not only held.
    package let isCapturing: Bool
    /// Whether the provider has shown the order's names on it; where not, they are written on the permission.
    package let isNamed: Bool
    /// The provider's id of the call that brought it.
    package let request: String?

    /// An authorization.
    package init(
        answer: [UInt8],
        chargePermission: String?,
        charge: String?,
        isCapturing: Bool = false,
        isNamed: Bool = true,
        request: String? = nil
    ) {
        self.isNamed = isNamed
        self.request = request
        self.isCapturing = isCapturing
        self.answer = answer
        self.chargePermission = chargePermission
        self.charge = charge
    }
}

/// Something seen about a token that is no transition.
enum Observation: String, Sendable {
    /// A prefetch presented it and was refused.
    case prefetchRefused = "prefetch_refused"
    /// It came over a connection without encryption: the webview session is revoked if it still can be.
    case plaintext
}
