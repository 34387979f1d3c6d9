/// The pages and files of the browser's side.
enum HostedRoute: String, Sendable, CaseIterable {
    case checkoutScript = "/checkout.js"
    case style = "/ap/style.css"
    case handOffScript = "/ap/handoff.js"
    case start = "/checkout/start"
    /// Where a visit that began on the first host arrives on the second.
    case enter = "/ap/enter"
    /// Where a visit on the second host comes past the first on its way back.
    case leave = "/ap/leave"
    case signIn = "/ap/signin"
    case code = "/ap/mfa"
    case consent = "/ap/consent"
    case select = "/ap/select"
    case bank = "/ap/3ds"
    case processing = "/checkout/processing"
    case error = "/ap/error"
    case signOut = "/ap/signout"

    /// What a fault calls it.
    var name: String {
        switch self {
        case .checkoutScript: "CheckoutScript"
        case .style, .handOffScript: "File"
        case .start: "CheckoutStart"
        case .enter: "Enter"
        case .leave: "Leave"
        case .signIn: "SignIn"
        case .code: "Mfa"
        case .consent: "Consent"
        case .select: "Select"
        case .bank: "Bank3ds"
        case .processing: "Processing"
        case .error: "Error"
        case .signOut: "SignOut"
        }
    }

    var methods: [String] {
        switch self {
        case .checkoutScript, .style, .handOffScript, .processing, .error, .enter, .leave: ["GET"]
        case .start, .signOut: ["POST"]
        case .signIn, .code, .consent, .select, .bank: ["GET", "POST"]
        }
    }

    /// The step of a visit that it is; `nil` for the others.
    var place: HostedVisit.Place? { HostedVisit.Place(rawValue: rawValue) }
}
