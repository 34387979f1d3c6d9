import Synchronization

/// All series of one metric name.
struct MetricFamily: Sendable {
    enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
    }

    enum Cell: Sendable {
        case number(NumberCell)
        case buckets(BucketCells)
    }

    private struct Series {
        let labels: String
        var cells: [Cell]
    }

    let name: String
    let help: String
    let kind: Kind
    private var series: [Series] = []

    init(name: String, help: String, kind: Kind) {
        self.name = name
        self.help = help
        self.kind = kind
    }

    mutating func add(_ cell: Cell, labels: String) {
        if let index = series.firstIndex(where: { $0.labels == labels }) {
            series[index].cells.append(cell)
        } else {
            series.append(Series(labels: labels, cells: [cell]))
        }
    }

    /// Appends the HELP and TYPE lines and one or more lines for each series.
    func write(to output: inout String) {
        output += "# HELP \(name) \(MetricFamily.escape(help, quotes: false))\n"
        output += "# TYPE \(name) \(kind.rawValue)\n"
        for series in series {
            if kind == .histogram {
                writeHistogram(series, to: &output)
            } else {
                let sum = series.cells.reduce(0) { $0 &+ MetricFamily.number(in: $1) }
                output += "\(name)\(MetricFamily.braced(series.labels)) \(sum)\n"
            }
        }
    }

    private func writeHistogram(_ series: Series, to output: inout String) {
        let all = series.cells.compactMap { if case .buckets(let cells) = $0 { cells } else { nil } }
        guard let bounds = all.first?.bounds else { return }
        let same = all.filter { $0.bounds == bounds }
        var total = 0
        for index in 0...bounds.count {
            total += same.reduce(0) { $0 &+ $1.counts[index].value.load(ordering: .relaxed) }
            let bound = index < bounds.count ? MetricFamily.text(bounds[index]) : "+Inf"
            let labels = (series.labels.isEmpty ? "" : series.labels + ",") + "le=\"\(bound)\""
            output += "\(name)_bucket{\(labels)} \(total)\n"
        }
        let micros = same.reduce(0) { $0 &+ $1.sumMicros.load(ordering: .relaxed) }
        output += "\(name)_sum\(MetricFamily.braced(series.labels)) \(MetricFamily.text(Double(micros) / 1_000_000))\n"
        output += "\(name)_count\(MetricFamily.braced(series.labels)) \(total)\n"
    }

    private static func number(in cell: Cell) -> Int {
        guard case .number(let cell) = cell else { return 0 }
        return cell.value.load(ordering: .relaxed)
    }

    private static func text(_ number: Double) -> String {
        guard let whole = Int(exactly: number) else { return number.description }
        return String(whole)
    }

    private static func braced(_ labels: String) -> String {
        labels.isEmpty ? "" : "{\(labels)}"
    }

    /// The inside of the braces of a series.
    static func labelText(_ labels: [(String, String)]) -> String {
        labels.map { name, value in "\(validName(name))=\"\(escape(value, quotes: true))\"" }.joined(separator: ",")
    }

    /// A name with every foreign character replaced by an underscore.
    static func validName(_ name: String) -> String {
        var output = ""
        for character in name.unicodeScalars {
            let isLetter = ("a"..."z").contains(character) || ("A"..."Z").contains(character)
            let isDigit = ("0"..."9").contains(character) && !output.isEmpty
            output.unicodeScalars.append(isLetter || isDigit || character == "_" || character == ":" ? character : "_")
        }
        return output.isEmpty ? "_" : output
    }

    private static func escape(_ text: String, quotes: Bool) -> String {
        var output = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": output += #"\\"#
            case "\n": output += #"\n"#
            case "\"" where quotes: output += #"\""#
            default: output.unicodeScalars.append(character)
            }
        }
        return output
    }
}
