import StrictJSON

/// A user of all simulated providers.
package struct SimulatedUser: Sendable {
    /// The word by which pages and the control interface name the user.
    let name: String
    /// The id that providers give.
    let subject: String
    /// Claims by scope.
    let profile: JSONValue
    let email: String?
    let isEmailVerified: Bool
    let address: JSONValue

    /// Five users, each with something that readers stumble over.
    static let all = [
        SimulatedUser(
            name: "hanako",
            subject: "SALLYPORTUSERHANAKO0000001",
            profile: [
                "name": "試験 花子", "given_name": "花子", "given_name#ja-Kana-JP": "ハナコ",
                "given_name#ja-Hani-JP": "花子", "family_name": "試験", "family_name#ja-Kana-JP": "シケン",
                "family_name#ja-Hani-JP": "試験", "gender": "female", "zoneinfo": "Asia/Tokyo", "locale": "ja-JP",
                "birthdate": "1986", "nickname": "はなちゃん", "picture": "https://img.example/hanako.png",
            ],
            email: "hanako@example.test",
            isEmailVerified: true,
            address: [
                "country": "JP", "postal_code": "1000001", "region": "東京都", "locality": "千代田区",
                "formatted": "東京都千代田区",
            ]
        ),
        SimulatedUser(
            name: "taro",
            subject: "Qk3vXn0pR7s_tUwYz1A2b3C4d5E6f7G8h9I-j0K1l2M3n4O5p6Q",
            profile: ["name": "試験 太郎", "given_name": "太郎", "family_name": "試験", "locale": "ja-JP"],
            email: "taro@example.test",
            isEmailVerified: false,
            address: ["country": "JP"]
        ),
        SimulatedUser(
            name: "jiro",
            subject: "SALLYPORTUSERJIRO000000003",
            profile: ["name": "次郎"],
            email: nil,
            isEmailVerified: false,
            address: .null
        ),
        SimulatedUser(
            name: "sakura",
            subject: "SALLYPORTUSERSAKURA0000004",
            profile: ["name": "<b>桜</b> & \"Sakura\"", "nickname": "さくら"],
            email: "sakura@example.test",
            isEmailVerified: true,
            address: ["formatted": "京都府\n京都市"]
        ),
        // The address of another user: it is nobody's name.
        SimulatedUser(
            name: "ken",
            subject: "SALLYPORTUSERKEN0000000005",
            profile: ["name": "Ken"],
            email: "hanako@example.test",
            isEmailVerified: true,
            address: .null
        ),
    ]

    /// Claims that scopes open.
    ///
    /// - Parameter asText: Whether a truth value is written as a text.
    func claims(_ scopes: [String], verifiedAsText asText: Bool) -> [JSONMember] {
        var members = [JSONMember("sub", .string(subject))]
        if scopes.contains("profile") { members += profile.members }
        if scopes.contains("email"), let email {
            let verified: JSONValue = asText ? .string(isEmailVerified ? "true" : "false") : .bool(isEmailVerified)
            members += [JSONMember("email", .string(email)), JSONMember("email_verified", verified)]
        }
        if scopes.contains("address"), address != .null { members.append(JSONMember("address", address)) }
        return members
    }
}

/// A client that is registered at all simulated providers.
package struct SimulatedClient: Sendable {
    /// Its id, which anybody may know.
    package let id: String
    /// `nil` for a client inside an app, which has none.
    package let secret: String?
    /// Where answers may go, each compared character by character.
    package let redirects: [String]

    /// A client.
    package init(id: String, secret: String?, redirects: [String]) {
        (self.id, self.secret, self.redirects) = (id, secret, redirects)
    }
}
