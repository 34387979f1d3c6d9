package import EventIO

/// A process of ours without which the program cannot go on.
package struct SupervisedProcess: Sendable {
    /// For people, with its article.
    package let name: String
    /// It is watched, and ended by its starter.
    package let process: ChildProcess

    /// A process, with a name that has its article.
    package init(name: String, process: ChildProcess) {
        self.name = name
        self.process = process
    }
}

/// A supervised process has ended before the program was stopped.
package struct SupervisedProcessEnded: Error, CustomDebugStringConvertible {
    /// Which, with its article.
    package let name: String
    /// How.
    package let exit: ChildProcess.Exit

    /// The end of a companion.
    package init(name: String, exit: ChildProcess.Exit) {
        self.name = name
        self.exit = exit
    }

    package var debugDescription: String {
        let how =
            switch exit {
            case .code(let code): "with code \(code)"
            case .signal(let number): "by signal \(number)"
            }
        return "\(name) has ended \(how), so everything was stopped; the data is kept: start again"
    }
}
