import HTTPCore
package import StrictJSON

/// The simulator's control interface, `/_sim`.
package struct SimulatorControl: Sendable {
    /// The simulator.
    package let url: String
    private let client: TestClient

    /// The controls of the simulator at a URL.
    package init(url: String, _ client: TestClient = TestClient()) {
        self.url = url
        self.client = client
    }

    /// One call that the simulator's API has answered.
    package struct Call: Sendable {
        /// For example `completeCheckoutSession`.
        package let operation: String
        /// The answer's status.
        package let status: Int
        /// The checkout session it was about; empty where it named none.
        package let session: String
        /// The charge it has made, where it did.
        package let charge: String?
        /// Whether this very call changed something.
        package let isEffective: Bool
        /// The amount it named.
        package let amount: String?
        /// The key that makes its repeats safe.
        package let key: String?
    }

    /// Lets the next buyers answer the hosted pages by themselves.
    package func nextBuyer(
        _ email: String = "tokyo@example.test",
        card: String = "card-1111",
        address: String? = nil,
        count: Int = 1
    ) async throws {
        var members = [
            JSONMember("email", .string(email)), JSONMember("cardId", .string(card)),
            JSONMember("answers", ["consent", "mfa", "3ds"]), JSONMember("count", JSONValue(count)),
        ]
        if let address { members.append(JSONMember("addressId", .string(address))) }
        try await post("next-buyer", .object(members))
    }

    /// Queues one fault.
    ///
    /// - Parameters:
    ///   - operation: Which call it hits; `nil` for any.
    ///   - chance: How many of a thousand fitting calls it hits, and the seed that picks them; `nil` for every one.
    ///   - action: For example `["resetAfter": true]`.
    package func fault(
        _ operation: String?,
        count: Int = 1,
        chance: (permille: Int, seed: String)? = nil,
        _ action: JSONValue
    ) async throws {
        var match: [JSONMember] = [JSONMember("count", JSONValue(count))]
        if let chance {
            match.append(JSONMember("permille", JSONValue(chance.permille)))
            match.append(JSONMember("seed", .string(chance.seed)))
        }
        if let operation { match.append(JSONMember("operation", .string(operation))) }
        try await post("faults", [["match": .object(match), "action": action]])
    }

    /// Forgets the faults that wait.
    package func clearFaults() async throws {
        _ = try await send("DELETE", "faults", nil)
    }

    /// Moves the simulator's clock.
    ///
    /// - Parameter duration: ISO 8601, for example `PT25H`.
    package func advanceClock(by duration: String) async throws {
        try await post("clock", ["advance": .string(duration)])
    }

    /// Forces a state.
    ///
    /// - Parameter object: `sessions/`, `charges/`, `permissions/` or `refunds/` and an id.
    package func force(_ object: String, _ state: String, _ reason: String? = nil) async throws {
        try await post(object + "/state", ["state": .string(state), "reasonCode": JSONValue(reason)])
    }

    /// Has notifications of every change sent to the first merchant.
    ///
    /// - Parameters:
    ///   - receiver: Its URL; empty for nobody.
    ///   - version: Of the signature: `1`, `2` or `alternating`.
    package func notify(_ receiver: String, topic: String, version: String = "1") async throws {
        try await post(
            "ipn/target",
            ["url": .string(receiver), "topicArn": .string(topic), "version": .string(version)]
        )
    }

    /// The root that the certificates of notifications lead to.
    ///
    /// - Returns: PEM.
    package func notificationAnchor() async throws -> [UInt8] {
        try await exchange("GET", "ipn/anchor.pem", nil)
    }

    /// What the receiver answered to the notifications so far.
    ///
    /// - Returns: Statuses in order; 0 for a try without an answer.
    package func deliveries() async throws -> [Int] {
        let log = try await get("ipn/deliveries")
        return (log["entries"]?.elements ?? []).map { $0["status"]?.integer ?? 0 }
    }

    /// Forgets everything.
    package func reset() async throws {
        try await post("reset", [:])
    }

    /// The calls of an operation so far, or all of them, in the order of the answers.
    package func calls(_ operation: String? = nil) async throws -> [Call] {
        var found: [Call] = []
        var last = 0
        while true {
            let entries = try await get("log?since=\(last)&limit=1000")["entries"]?.elements ?? []
            guard let newest = entries.last?["number"]?.integer else { break }
            found += entries.map(Call.init)
            last = newest
        }
        return found.filter { operation == nil || $0.operation == operation }
    }

    /// How many faults have not met all their calls.
    package func waitingFaults() async throws -> Int {
        try await get("faults")["waiting"]?.elements.count ?? 0
    }

    /// An object as the service shows it, of any merchant.
    ///
    /// - Returns: The object, with `_sim` for what only the simulator knows.
    package func object(_ id: String) async throws -> JSONValue {
        try await get("objects/" + id)
    }

    /// Reads from a control below `/_sim/`.
    package func get(_ path: String) async throws -> JSONValue {
        try await send("GET", path, nil)
    }

    /// Posts to a control.
    package func post(_ path: String, _ body: JSONValue) async throws {
        _ = try await send("POST", path, body)
    }

    private func send(_ method: String, _ path: String, _ body: JSONValue?) async throws -> JSONValue {
        try JSONParser.parse(try await exchange(method, path, body))
    }

    private func exchange(_ method: String, _ path: String, _ body: JSONValue?) async throws -> [UInt8] {
        let answer = try await client.send(method, "\(url)/_sim/\(path)", body: body?.bytes ?? []).response
        guard answer.status == 200 else { throw ControlFailure(path: path, status: answer.status, body: answer.text) }
        return answer.body
    }
}

extension SimulatorControl.Call {
    fileprivate init(_ entry: JSONValue) {
        operation = entry["operation"]?.text ?? ""
        status = entry["status"]?.integer ?? 0
        session = entry["checkoutSessionId"]?.text ?? ""
        charge = entry["chargeId"]?.text
        isEffective = entry["effective"]?.flag ?? false
        amount = entry["amount"]?["amount"]?.text
        key = entry["idempotencyKey"]?.text
    }
}

/// The control interface refused.
package struct ControlFailure: Error, Sendable {
    /// What was asked.
    package let path: String
    /// The answer's status.
    package let status: Int
    /// The answer's body.
    package let body: String
}
