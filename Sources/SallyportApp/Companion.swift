import EventIO

/// A process of ours without which the program cannot go on.
struct Companion: Sendable {
    /// For people, with its article.
    let name: String
    let process: ChildProcess
}

/// A companion has ended before the program was told to.
struct CompanionEnded: Error, CustomDebugStringConvertible {
    let name: String
    let exit: ChildProcess.Exit

    var debugDescription: String {
        let how =
            switch exit {
            case .code(let code): "with code \(code)"
            case .signal(let number): "by signal \(number)"
            }
        return "\(name) has ended \(how), so everything was stopped; what is stored is kept, start again"
    }
}
