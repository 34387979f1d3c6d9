/// Where a webview session stands; the raw value is the one in the database.
///
/// ````
/// issued --open--> opened --review--> reviewed --place--> placed --begin--> purchasing --settle--> authorized
///                    |  ^re-open once    ^ ^---review, unplace---|  ^--release--|  ^recover (lease over)
///                    |                   |                       |              +--settle--> declined
///                    |                   +------review-----------+---decline---------------> declined
/// issued, opened, reviewed, placed, declined --> expired, revoked, canceled
/// reviewed --meet (strict)--> issued, with a fresh ticket
/// ````
package enum WebviewSessionState: String, Sendable, CaseIterable {
    /// The ticket was handed to the app.
    case issued
    /// A tab holds its token.
    case opened
    /// The provider's session was read: address, postage and total are known.
    case reviewed
    /// The buyer agreed to the total and was sent to the provider.
    case placed
    /// A lease is held and the provider is being called.
    case purchasing
    /// The provider said yes; final.
    case authorized
    /// The provider said no; the buyer may choose again.
    case declined
    /// The buyer gave up; final.
    case canceled
    /// A ticket was used twice, a proof did not fit, or an operator stepped in; final.
    case revoked
    /// A deadline passed; final.
    case expired

    /// Whether no transition leaves it, success apart.
    package var isDead: Bool { self == .canceled || self == .revoked || self == .expired }
}

/// What the app may know of its webview session: a name without data; the raw value is the one on the wire.
package enum WebviewSessionStatus: String, Sendable {
    /// The tab has not opened.
    case issued
    /// The tab is open.
    case opened
    /// The buyer has come as far as the confirm page, or beyond it to the provider.
    case reviewed
    /// The provider is being called.
    case purchasing
    /// Bought.
    case done
    /// Dead, or past a deadline.
    case closed

    /// The status of a webview session.
    ///
    /// - Parameters:
    ///   - isOver: Whether a deadline has passed.
    package init(_ state: WebviewSessionState, isOver: Bool) {
        switch state {
        case .authorized: self = .done
        case .purchasing: self = .purchasing
        case .canceled, .revoked, .expired: self = .closed
        case .issued: self = isOver ? .closed : .issued
        case .opened: self = isOver ? .closed : .opened
        case .reviewed, .placed, .declined: self = isOver ? .closed : .reviewed
        }
    }
}
