import Settings
import Testing

@testable import ServerCore

@Suite struct `The shop's name` {
    private func read(_ name: String) -> (name: String?, problems: [String]) {
        var reader = SettingReader(SettingSource(file: nil, environment: ["SALLYPORT_SHOP_NAME": name]))
        let settings = SiteSettings(&reader)
        return (settings.shopName, reader.problems(of: .everything))
    }

    @Test func `is what the settings say, or nothing`() {
        let (named, nameless) = (read("抹茶屋 Matcha & Co."), read(""))
        #expect(named.name == "抹茶屋 Matcha & Co." && named.problems == [])
        #expect(nameless.name == nil && nameless.problems == [])
    }

    @Test(arguments: [" Shop", "Shop\n", "Sh\u{202E}op", "\u{200B}", String(repeating: "x", count: 101)])
    func `is one line of what can be seen`(name: String) {
        #expect(read(name).problems.count == 1 && read(name).problems[0].hasPrefix("shop.name: not a line"))
    }
}
