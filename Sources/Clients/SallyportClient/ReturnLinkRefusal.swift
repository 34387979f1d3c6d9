import Foundation

/// Why a link into the app was not taken.
///
/// None of them changes a checkout that is under way.
public enum ReturnLinkRefusal: LocalizedError, Sendable, Hashable {
    /// Not an address.
    case malformedURL
    /// Another scheme than https: any app may claim that.
    case foreignScheme
    /// Another host than that of the return links.
    case foreignHost
    /// Another port.
    case foreignPort
    /// Another path than `/index.html`.
    case foreignPath
    /// A user or a password in front of the host.
    case userInfo
    /// Something behind `#`.
    case fragment
    /// A value is not there.
    case missingParameter(ReturnLink.Parameter)
    /// A value is there twice.
    case repeatedParameter(ReturnLink.Parameter)
    /// A value is not of its form.
    case malformedParameter(ReturnLink.Parameter)
    /// No checkout is under way in this app.
    case noCheckout
    /// The link belongs to a checkout that this app has not started, to an older one, or comes while another of the same tab is
    /// decided.
    case otherCheckout
    /// Its two tickets belong to two sessions.
    case otherSession
    /// The link was received before.
    case replayed
    /// The checkout was started too long ago.
    case late

    /// For a log: anybody can send a link, so an app shows nothing of it.
    public var errorDescription: String? { "the link was not taken: \(self)" }
}
