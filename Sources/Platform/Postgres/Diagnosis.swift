import CPostgres

/// Turns libpq's complaints into errors.
///
/// Only the code, the primary message and the name of the constraint are kept: the other fields quote values of the statement.
enum Diagnosis {
    /// The server's refusal, or `nil` when the complaint is libpq's own.
    static func error(of result: OpaquePointer) -> PostgresError? {
        guard let state = unsafe shim_sqlstate(result) else { return nil }
        var detail = unsafe text(shim_primary_message(result))
        if let constraint = unsafe shim_constraint_name(result) { detail += " (\(unsafe String(cString: constraint)))" }
        return PostgresError(.rejected(sqlState: unsafe String(cString: state)), detail)
    }

    /// libpq's own message, on one line.
    static func text(of result: OpaquePointer) -> String {
        unsafe text(PQresultErrorMessage(result))
    }

    /// The lines of a message as one.
    static func oneLine(_ message: String) -> String {
        message.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    private static func text(_ message: UnsafePointer<CChar>?) -> String {
        guard let message = unsafe message else { return "no message" }
        return oneLine(unsafe String(cString: message))
    }
}

/// Lends arrays of strings to C.
enum CStrings {
    /// Calls a body with pointers to the given texts and a null pointer behind them, valid for the call only.
    static func with<Value>(
        _ texts: [String],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Value
    ) -> Value {
        var characters: [CChar] = []
        var offsets: [Int] = []
        for text in texts {
            offsets.append(characters.count)
            characters.append(contentsOf: text.utf8CString)
        }
        return unsafe characters.withUnsafeBufferPointer { buffer in
            var pointers: [UnsafePointer<CChar>?] = unsafe offsets.map { offset in
                unsafe buffer.baseAddress.map { unsafe $0 + offset }
            }
            unsafe pointers.append(nil)
            return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
        }
    }
}
