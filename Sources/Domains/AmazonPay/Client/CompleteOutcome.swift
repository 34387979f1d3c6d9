/// How a completion ended.
package enum CompleteOutcome: Sendable {
    /// The charge is real, and this call made it so.
    case completed(CheckoutSession)
    /// The service agreed, the bank may not have spoken yet: paid only once the session's charge says so.
    ///
    /// Comes where the session allows pending authorisations, which those of this shop do not.
    case pending(CheckoutSession)
    /// The charge is real, and an earlier call made it so.
    case alreadyCompleted(CheckoutSession)
    /// The buyer has not been through processing yet; nothing happened.
    case notReady
    /// The payment was refused; the session is dead.
    case declined(ReasonCode)
    /// The session was cancelled, by the buyer, by Amazon or by time; the reason where Amazon gave one.
    case canceled(ReasonCode?)
    /// The service refused the amount, and the session, which is open, holds another one than the order: no repeat of the call
    /// can succeed, and nothing happened.
    case amountMismatch
    /// The session is completed with another amount than the order: money was taken, and a person has to look.
    case completedOtherwise
    /// Nothing took effect: no try left this machine, or each that did was turned away unread. The attempt may be taken back.
    case notSent(AmazonPayError)
    /// What happened is not known: ask again later, with the same key.
    case unknown(AmazonPayError)
    /// The service refused the call itself: keys, rights, configuration. Nothing happened.
    case rejected(AmazonPayError)
}
