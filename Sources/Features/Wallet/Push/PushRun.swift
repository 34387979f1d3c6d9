/// The answers of one run, from the first push that is due until none is: many bad tokens in it say that the host or the certificate is
/// wrong, and not the tokens.
struct PushRun: Sendable {
    private var answers = 0
    private var suspects = 0

    private static let least = 20
    private static let share = 5

    mutating func count(isSuspect: Bool) {
        answers += 1
        if isSuspect { suspects += 1 }
    }

    /// Whether there are enough answers to judge by.
    var isTelling: Bool { answers >= PushRun.least }

    /// Whether more than a fifth of them call the token bad.
    var isBroken: Bool { isTelling && suspects * PushRun.share > answers }

    /// For operators.
    var summary: String { "\(suspects) of \(answers) tokens called bad" }
}
