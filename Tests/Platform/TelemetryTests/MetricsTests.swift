import Telemetry
import TestKit
import Testing

@Suite struct `The text of metrics` {
    @Test func `has help, type and one line for each series`() {
        let registry = MetricsRegistry()
        let requests = registry.counter(
            "requests_total",
            help: "Requests.",
            labels: [("route", "/button"), ("class", "2xx")]
        )
        let other = registry.counter(
            "requests_total",
            help: "Requests.",
            labels: [("route", "/cart"), ("class", "2xx")]
        )
        let open = registry.gauge("connections", help: "Open connections.")
        requests.increment()
        requests.increment(by: 4)
        other.increment()
        open.add(7)
        open.add(-2)
        #expect(
            registry.prometheusText() == """
                # HELP requests_total Requests.
                # TYPE requests_total counter
                requests_total{route="/button",class="2xx"} 5
                requests_total{route="/cart",class="2xx"} 1
                # HELP connections Open connections.
                # TYPE connections gauge
                connections 5

                """
        )
    }

    @Test func `is empty without metrics`() {
        #expect(MetricsRegistry().prometheusText() == "")
    }

    @Test func `adds up the cells of one series`() {
        let registry = MetricsRegistry()
        let cells = (0..<3).map { _ in registry.counter("a_total", help: "A.", labels: [("x", "1")]) }
        for (index, cell) in cells.enumerated() { cell.increment(by: index + 1) }
        #expect(registry.prometheusText().split(separator: "\n").last == #"a_total{x="1"} 6"#)
        #expect(cells.map(\.value) == [1, 2, 3])
    }

    @Test func `counts observations up to each bound`() {
        let registry = MetricsRegistry()
        let histogram = registry.histogram(
            "wait_seconds",
            help: "Waits.",
            labels: [("db", "write")],
            buckets: [1, 0.1, 0.5]
        )
        for value in [0.05, 0.1, 0.100001, 0.5, 0.7, 3, .nan, .infinity] { histogram.observe(value) }
        #expect(
            registry.prometheusText() == """
                # HELP wait_seconds Waits.
                # TYPE wait_seconds histogram
                wait_seconds_bucket{db="write",le="0.1"} 2
                wait_seconds_bucket{db="write",le="0.5"} 4
                wait_seconds_bucket{db="write",le="1"} 5
                wait_seconds_bucket{db="write",le="+Inf"} 6
                wait_seconds_sum{db="write"} 4.450001
                wait_seconds_count{db="write"} 6

                """
        )
    }

    @Test func `escapes labels and help and mends names`() {
        let registry = MetricsRegistry()
        _ = registry.counter("9 bad-name", help: "a \"b\" \\ \n c", labels: [("la bel", "a \"b\" \\ \n c")])
        #expect(
            registry.prometheusText() == #"""
                # HELP __bad_name a "b" \\ \n c
                # TYPE __bad_name counter
                __bad_name{la_bel="a \"b\" \\ \n c"} 0

                """#
        )
    }

    @Test func `does not go down with a counter`() {
        let counter = MetricsRegistry().counter("a_total", help: "A.")
        counter.increment(by: 2)
        counter.increment(by: -5)
        #expect(counter.value == 2)
    }

    @Test func `holds what a gauge was set to`() {
        let gauge = MetricsRegistry().gauge("a", help: "A.")
        gauge.set(9)
        gauge.add(1)
        #expect(gauge.value == 10)
    }

    @Test func `loses nothing that many tasks count at once`() async {
        let registry = MetricsRegistry()
        let shared = registry.counter("a_total", help: "A.")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { @concurrent in
                    let own = registry.counter("a_total", help: "A.")
                    for _ in 0..<1_000 {
                        shared.increment()
                        own.increment()
                    }
                    _ = registry.prometheusText()
                }
            }
        }
        #expect(registry.prometheusText().hasSuffix("a_total 16000\n"))
    }
}
