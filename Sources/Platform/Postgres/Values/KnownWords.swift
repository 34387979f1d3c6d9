// Columns that hold a word of a closed list, an enumeration of the program.

extension ResultSet {
    /// A word of a closed list; one that is not in it is a decoding error.
    package func word<Word: RawRepresentable<String>>(_ row: Int, _ column: Int) throws(PostgresError) -> Word {
        let text = try text(row, column)
        guard let word = Word(rawValue: text) else {
            throw PostgresError(.decoding, "\(text) is no \(Word.self)")
        }
        return word
    }
}

extension Parameters {
    /// All words of a closed list, for `= ANY ($n::text[])`: what a later version has written is passed over.
    package mutating func append<Word: RawRepresentable<String> & CaseIterable>(knownWords: Word.Type) {
        append(text: "{" + Word.allCases.map(\.rawValue).joined(separator: ",") + "}")
    }
}
