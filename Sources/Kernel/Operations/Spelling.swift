/// Finds the word that somebody meant.
enum Spelling {
    /// The word that is nearest to another.
    ///
    /// - Returns: One that takes two changes at most, fewer than half of its letters; `nil` where there is none.
    static func nearest(to word: String, among words: [String]) -> String? {
        let typed = Array(word.lowercased().utf8.prefix(100))
        let distances = words.map { (word: $0, distance: distance(typed, Array($0.utf8))) }
        guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= 2 && 2 * best.distance < best.word.utf8.count ? best.word : nil
    }

    /// How many letters have to be put in, taken out or changed.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (line, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, other) in right.enumerated() {
                let change = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(change, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
