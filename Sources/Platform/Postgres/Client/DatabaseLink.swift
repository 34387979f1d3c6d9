import CPostgres
import Primitives

/// What the way to a server has to be like: beyond this machine nobody on it may read or write.
///
/// A writer there has the shop, for every outcome of a session is an answer of the database. The rule looks at what libpq
/// would do, environment included, and hands libpq explicitly what it has looked at: nothing is filled in behind its back.
enum DatabaseLink {
    /// The keywords that the rule depends on and libpq takes from its environment where they are missing.
    private static let filledIn: Set<String> = ["host", "hostaddr", "port", "service", "sslmode", "sslrootcert"]
    /// The authorities of this machine, as Debian keeps them; before version 16 libpq cannot find them itself.
    private static let systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"

    /// Completes keywords so that the way to the server is one that may be taken.
    ///
    /// - Parameters:
    ///   - allowsPlaintext: Whether a server elsewhere is believed without TLS that verifies it.
    /// - Returns: As given, with what the environment adds and what TLS needs.
    /// - Throws: `insecure` for a way that may not be taken.
    static func secured(
        _ given: [String: String],
        allowsPlaintext: Bool
    ) throws(PostgresError) -> [String: String] {
        // libpq takes an empty value for a missing one.
        var values = given.filter { !$0.value.isEmpty }.merging(environment()) { own, _ in own }
        guard values["service"] == nil else {
            throw PostgresError(.insecure, "service files of libpq are not read: name the server in the URI itself")
        }
        guard isRemote(values), !allowsPlaintext else { return values }
        let mode = values["sslmode"] ?? "verify-full"
        guard mode == "verify-full", values["gssencmode"] ?? "disable" == "disable" else {
            let what =
                mode == "verify-full" ? "gssencmode takes the place of TLS" : "sslmode=\(mode) does not verify it"
            throw PostgresError(
                .insecure,
                "the server is on another machine, and \(what): leave it out, or say verify-full"
            )
        }
        values["sslmode"] = mode
        values["gssencmode"] = "disable"
        switch values["sslrootcert"] {
        case nil where !hasOwnAuthorities: values["sslrootcert"] = systemAuthorities
        case "system" where PQlibVersion() < 160_000: values["sslrootcert"] = systemAuthorities
        default: break
        }
        return values
    }

    /// Whether this user has put authorities where libpq looks for them by itself: they are fewer, and asked for.
    private static var hasOwnAuthorities: Bool { shim_has_own_authorities() }

    /// Whether any of the servers is beyond this machine: reached neither by a socket nor by loopback.
    ///
    /// - Parameter values: As `secured` returns them.
    /// - Returns: True also for a name of which nobody knows where it leads.
    static func isRemote(_ values: [String: String]) -> Bool {
        let names = list(values["host"])
        // Where there is an address the name is only what the certificate has to say.
        let addresses = list(values["hostaddr"])
        return (0..<max(names.count, addresses.count)).contains { index in
            let address = index < addresses.count ? addresses[index] : ""
            return !isHere(address.isEmpty && index < names.count ? names[index] : address)
        }
    }

    /// Whether a complaint of libpq is about TLS, to which there is something to add.
    static func advice(on complaint: String, _ values: [String: String]) -> String {
        guard values["sslmode"] == "verify-full", complaint.contains("SSL") || complaint.contains("certificate") else {
            return ""
        }
        return
            " (a server on another machine has to prove by TLS who it is: ssl=on and a certificate for its name there,"
            + " its authority in sslrootcert of the URI)"
    }

    private static func list(_ text: String?) -> [String] {
        (text ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private static func isHere(_ host: String) -> Bool {
        // Nothing is libpq's own socket, `@` an abstract one.
        guard let first = host.first, first != "/", first != "@", host != "localhost" else { return true }
        return (IPNumber(version4: host) ?? IPNumber(version6: host))?.isLoopback ?? false
    }

    /// What libpq would take from its environment.
    private static func environment() -> [String: String] {
        guard let options = unsafe PQconndefaults() else { return [:] }
        defer { unsafe PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            let name = unsafe String(cString: keyword)
            if filledIn.contains(name), let value = unsafe text(option.pointee.val), !value.isEmpty,
                // `prefer` is what it was built with; who wants that has to say so.
                unsafe value != text(option.pointee.compiled)
            {
                values[name] = value
            }
            unsafe option += 1
        }
        return values
    }

    private static func text(_ pointer: UnsafeMutablePointer<CChar>?) -> String? {
        unsafe pointer.map { unsafe String(cString: $0) }
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        unsafe pointer.map { unsafe String(cString: $0) }
    }
}
