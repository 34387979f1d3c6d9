import Cryptography
import HTTPClient
import Operations

/// D29: what TLS and random numbers come from.
enum LibraryChecks {
    /// A library that the program runs with.
    struct Library {
        /// For example `OpenSSL`.
        let name: String
        /// The version that is loaded: numbers with dots between them.
        let running: String
        /// The version that the program was built for.
        let built: String

        fileprivate var isOlder: Bool {
            Library.numbers(running).lexicographicallyPrecedes(Library.numbers(built))
        }

        private static func numbers(_ version: String) -> [Int] {
            version.split(separator: ".").map { part in Int(part.prefix { $0.isNumber }) ?? 0 }
        }
    }

    /// What speaks TLS.
    static var loaded: [Library] {
        [
            Library(name: "OpenSSL", running: OpenSSLVersion.running, built: OpenSSLVersion.built),
            Library(name: "libcurl", running: CurlVersion.running, built: CurlVersion.built),
        ]
    }

    static func findings(_ libraries: [Library] = loaded) -> [Finding] {
        let names = libraries.map { "\($0.name) \($0.running)" }.joined(separator: ", ")
        let note = Finding(
            "D29",
            .note,
            "program",
            "TLS by \(names); random numbers come from the kernel, by getrandom."
        )
        return [note]
            + libraries.filter(\.isOlder).map { library in
                Finding(
                    "D29",
                    .warning,
                    "program",
                    "\(library.name) \(library.running) is loaded, and the program was built for \(library.built).",
                    remedy: "Install the library's updates: the loaded library lacks later fixes."
                )
            }
    }
}
