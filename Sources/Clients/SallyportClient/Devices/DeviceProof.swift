import Foundation

/// What a device has had, such as a free trial: asks the server with a token of the device, which only Apple can read.
///
/// Each question takes a token of its own, made for it.
public struct DeviceProof: Sendable {
    /// How often a token is made for one question, where the server refuses those before.
    private static let tokens = 3

    private let account: AppAccount
    private let source: any DeviceTokenSource

    /// The device of an account's user.
    public init(of account: AppAccount, from source: any DeviceTokenSource) {
        self.account = account
        self.source = source
    }

    /// Takes what a device gets once, as the server names it, for example `free-trial`.
    ///
    /// Where the answer was lost, it is claimed again: ``DeviceDecision/hasIt`` says whether the account has it.
    ///
    /// - Throws: ``AccountError``: one that is not final says that nothing is known, and the same may be asked again. What the
    ///   transport throws.
    public func claim(_ purpose: String) async throws -> DeviceDecision {
        try await ask("claim", ["purpose": purpose])
    }

    /// Asks for what the device is good, and changes nothing.
    ///
    /// - Throws: As ``claim(_:)``.
    public func check(_ purpose: String) async throws -> DeviceDecision {
        try await ask("check", ["purpose": purpose])
    }

    /// Takes the mark from the device, for an owner who parts with it; the account keeps what it has taken.
    ///
    /// - Throws: As ``claim(_:)``.
    public func release() async throws {
        _ = try await answer("release", [:])
    }

    private func ask(_ call: String, _ content: [String: String]) async throws -> DeviceDecision {
        let response = try await answer(call, content)
        guard let decision = try? JSONDecoder().decode(DeviceDecision.self, from: response.body) else {
            throw AccountError(response)
        }
        return decision
    }

    private func answer(_ call: String, _ content: [String: String]) async throws -> TransportResponse {
        var left = DeviceProof.tokens
        while true {
            left -= 1
            var content = content
            switch await source.token() {
            case .token(let token): content["deviceToken"] = token.base64EncodedString()
            case .none(let absence): content["unsupported"] = absence.rawValue
            }
            let body = try JSONEncoder().encode(content)
            let response = try await account.send("POST", "devices/" + call, body: body)
            if response.status == 200 { return response }
            // Apple did not know the token, or it has been used: another one may do.
            let wantsAnother = response.flag("newToken") == true || response.status == 409
            guard wantsAnother, left > 0, content["deviceToken"] != nil else { throw AccountError(response) }
        }
    }
}
