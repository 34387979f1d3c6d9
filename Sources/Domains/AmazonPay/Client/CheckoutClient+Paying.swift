// Calls that move money under a permission.
extension CheckoutClient {
    /// Makes a charge, takes what is held, or gives money back; or finds out why not.
    ///
    /// A recovery of a capture reads the charge first. A charge or refund that may have been made cannot be looked for: there
    /// the same octets go out under the same key, and the service answers with what it made.
    ///
    /// - Parameters:
    ///   - call: What to do, in the octets and under the key of its attempt.
    ///   - limit: For waiting, tries and pauses; reading the charge where that is needed takes up to five seconds more.
    /// - Returns: The outcome; `unknown` is to be asked again later as a recovery.
    package func pay<Object: PayingObject>(
        _ call: PayingCall,
        within limit: Duration = .seconds(45)
    ) async -> PayingOutcome<Object> {
        guard let expected = PayingExpectation(call), Object.payingOperations.contains(call.operation) else {
            let code: AmazonPayError.Code = call.isRecovery ? .outcomeUnknown : .notSent
            let error = AmazonPayError(code, detail: "the octets are no \(call.operation.label) of ours")
            return call.isRecovery ? .unknown(error) : .notSent(error)
        }
        let end = timing.uptime() + limit
        if call.isRecovery, call.operation == .capture, let charge = expected.charge {
            let read: Result<Object, AmazonPayError> = await read(charge, within: limit)
            if case .failure(let error) = read, error.isHeldBack { return .unknown(error) }
            if let outcome = PayingDecision.found(read, expected) { return outcome }
        }
        let report = await run(Call(call), within: end - timing.uptime(), mayHaveTakenEffect: call.isRecovery)
        let step: PayingDecision.NextStep<Object> = PayingDecision.decide(report, expected: expected)
        if case .settled(let outcome) = step { return outcome }
        let unread = AmazonPayError(.outcomeUnknown, detail: "nothing to read")
        guard let charge = expected.charge else { return .unknown(unread) }
        let rest = max(CheckoutClient.reading, end - timing.uptime())
        let read: Result<Object, AmazonPayError> = await read(charge, within: rest)
        guard case .settled(let outcome) = PayingDecision.decide(report, expected: expected, reread: read) else {
            return .unknown(unread)
        }
        return outcome
    }

    private func read<Object: PayingObject>(
        _ charge: ChargeID,
        within limit: Duration
    ) async -> Result<Object, AmazonPayError> {
        let report = await run(
            Call(.getCharge, charge.text, priority: .purchase),
            within: limit,
            mayHaveTakenEffect: false
        )
        do throws(AmazonPayError) {
            let answer = try report.result.get()
            guard answer.isSuccess else { throw answer.error(.refused) }
            return .success(try Object(json: answer.body))
        } catch {
            return .failure(error)
        }
    }
}
