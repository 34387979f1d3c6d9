/// Regular expressions for texts, in the part of the language that all readers of schemas share: no lookbehind, no `\p`.
package enum SchemaPattern {
    /// What `PrintableText` takes, but for the length, and for what it drops and refuses beyond U+FFFF.
    ///
    /// - Parameter orEmpty: Whether nothing may be kept of it.
    package static func printable(orEmpty: Bool) -> String {
        orEmpty ? "^[^\(refused)]*$" : "^[\(blank)\(unseen)]*\(seen)[^\(refused)]*$"
    }

    /// The same of a parameter of a query, which is no query with a control character other than the tab.
    package static let printableParameter =
        #"^[\u0009\#(wideBlank)\#(unseen)]*\#(seen)[^\u000A-\u000D\#(refused)]*$"#

    /// What `PrintableText.isVisible` takes, but for the length, and for what it refuses beyond U+FFFF.
    package static let visible = "^\(seen)([^\(lineEnds)\(unseen)\(refused)]*\(seen))?$"

    private static let seen = "[^\(blank)\(unseen)\(refused)]"

    /// Control and format characters, and those that turn the direction of a line.
    private static let refused =
        #"\u0000-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u200E\u200F"#
        + #"\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB"#

    /// White space: tabs and line ends become blanks, and those at the ends go.
    private static let blank = #"\u0009-\u000D"# + wideBlank
    private static let wideBlank = #"\u0020\u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000"#

    /// Those of them that become others.
    private static let lineEnds = #"\u0009-\u000D\u0085\u2028\u2029"#

    /// What nobody sees.
    private static let unseen =
        #"\u00AD\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200D\u2060-\u2065\u206A-\u206F\u3164\uFE00-\uFE0F\uFEFF"#
        + #"\uFFA0\uFFF0-\uFFF8"#

    /// A host: a name, or a number of version 4.
    package static let host = "(([a-z0-9-]{1,63}[.])*[a-z-][a-z0-9-]{0,62}|([0-9]{1,3}[.]){3}[0-9]{1,3})"
    /// 1 to 65535.
    private static let port = "([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
    /// Port and path behind a host, to the end.
    package static let rest = "(:\(port))?(/[!$%&()*+,./0-9:;=?@A-Z_a-z~-]*)?$"

    /// An https address with a name in lower case, as it has to be written in a request.
    package static let address = "^https://\(host)\(rest)"
    /// The value of `Idempotency-Key`: a word of visible ASCII, bare or as a quoted string.
    package static let idempotencyKey = #"^([!#-~][!-~]{0,254}|"([!#-\[\]-~]|\\["\\]){1,255}")$"#
    /// An id, which is written in lower case and read in either.
    package static let uuid = "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"
    /// Sixteen bytes in base64url.
    package static let bytes16 = "^[A-Za-z0-9_-]{21}[AQgw]$"
    /// Thirty-two bytes in base64url.
    package static let bytes32 = "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"
    /// A time in UTC to the second, of a day that there is.
    package static let time = "^(\(day)|\(leapDay))T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$"

    private static let day =
        "(19[7-9][0-9]|[2-9][0-9]{3})-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
        + "|02-(0[1-9]|1[0-9]|2[0-8]))"
    private static let leapDay =
        "((198|[2-9][0-9][2468])[048]|[2-9][0-9]0[48]|(19[79]|[2-9][0-9][13579])[26]|([2468][048]|[3579][26])00)-02-29"
}
