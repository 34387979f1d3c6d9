/// How a part of the program does that others can do without.
package enum Health: Sendable, Equatable {
    /// As it should.
    case ok
    /// It works less well or not at all; says why, in a few words without line breaks and secrets.
    case degraded(String)
    /// Nothing can be served until an operator acts; says why, in the same form.
    case unready(String)
}
