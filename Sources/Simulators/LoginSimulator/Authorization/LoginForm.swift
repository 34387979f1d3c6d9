import HTTPCore
import Primitives

/// What a user has pressed on a page of a simulated provider.
struct LoginForm {
    enum Step {
        case login(user: String, password: String)
        case agree
        case decline
    }

    /// Of the request whose user looks at the page.
    let id: String
    let step: Step

    init?(_ body: [UInt8]) {
        guard let fields = try? HTTPParameters(body.span), !fields.hasRepeatedName else { return nil }
        let value = { (name: String) in (try? fields.value(name)) ?? "" }
        id = value("request")
        switch value("action").octets {
        case "login": step = .login(user: value("user"), password: value("password"))
        case "agree": step = .agree
        case "decline": step = .decline
        default: return nil
        }
    }
}
