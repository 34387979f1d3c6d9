import Testing
import Webhooks

@Suite("An address for events")
struct AddressTests {
    @Test(
        arguments: [
            "https://shop.example/hook", "https://shop.example:8443", "https://10.1.2.3/hook?key=1",
            "https://[2001:db8::1]:443/", "https://shop_1.internal",
            "https://127.shop.example/", "https://0xshop.example/", "https://[::2:0:0]/", "https://[1:2:3:4:5:6:7:8]/",
            "https://[64:ff9b::10.0.0.1]/", "https://128.0.0.1/", "https://[2001:db8::]/", "https://[1:0:0:0:0:0:0:1]/",
            "https://169.253.0.1/", "https://[fec0::1]/", "https://[fd00:ec2::253]/", "https://172.16.0.1/",
            "https://192.168.1.1/", "https://100.64.0.1/", "https://100.100.100.201/", "https://168.63.129.17/",
            "https://[2002:a00:1::1]/", "https://[64:ff9b:1::10.0.0.1]/", "https://[64:ff9b:1::1.2.3.4]/",
            "https://[fc00::1]/", "https://[2001:0:808:808::f7f7:f7f7]/", "https://[2001:4860:4860::8888]/",
            "https://metadata.shop.example/", "https://223.255.255.1/", "https://192.0.0.193/",
        ]
    )
    func `may be any https address of another machine`(url: String) {
        #expect(WebhookAddress.problem(url, allowsLoopback: false) == nil)
    }

    @Test(
        arguments: [
            "", "shop.example", "http://shop.example/", "ftp://shop.example/", "https://", "https:///hook",
            "https://user@shop.example/", "https://user:pass@shop.example/", "https://shop.example/#part",
            "https://shop.example/a b", "https://shop.example/\u{e9}", "https://shop.example:0/",
            "https://shop.example:99999/", "https://shop.example:x/", "https://[::1", "https://[::1]x/",
            "https://shop.example\\@127.0.0.1/", "https://" + String(repeating: "a", count: 2100), "https://ex ample/",
            "HTTPS://shop.example/", "https://256.0.0.1/", "https://1.2.3.4.5/", "https://08.0.0.1/", "https://1..2/",
            "https://4294967296/", "https://0x1ffffffff/", "https://127.0.0.1.0x/", "https://[1:2:3]/",
            "https://[12345::]/", "https://[1:2:3:4:5:6:7:8:9]/", "https://[::1.2.3]/", "https://[:1]/",
            "https://[1:::2]/", "https://[::1::]/", "https://[1.2.3.4::]/", "https://shop.1/", "https://./",
        ]
    )
    func `is refused with a reason`(url: String) {
        #expect(WebhookAddress.problem(url, allowsLoopback: true) != nil)
    }

    @Test(
        arguments: [
            "https://169.254.169.254/latest", "https://0xa9fea9fe/", "https://2852039166/", "https://169.254.0.1:8443/",
            "https://[::ffff:169.254.169.254]/", "https://[64:ff9b::169.254.169.254]/", "https://[fe80::1]/",
            "https://[febf::1]/", "https://[fd00:ec2::254]/", "https://[::169.254.169.254]/",
        ]
    )
    func `is never one of the machine's link`(url: String) {
        #expect(WebhookAddress.problem(url, allowsLoopback: false) != nil)
        #expect(WebhookAddress.problem(url, allowsLoopback: true) != nil)
    }

    @Test(
        arguments: [
            "https://[2002:a9fe:a9fe::]/", "https://[2002:a9fe:a9fe:1::1]/", "https://[64:ff9b:1::a9fe:a9fe]/",
            "https://[64:ff9b:1:a9fe:a9:fe00::]/", "https://[64:ff9b:1:fa9:fe:a9fe::]/",
            "https://[64:ff9b:1:0:a9:fea9:fe00:0]/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/",
            "https://[fd20:ce::254]/", "https://100.100.100.200/", "https://168.63.129.16/", "https://192.0.0.192/",
            "https://metadata.google.internal/", "https://METADATA.google.internal./x", "https://metadata/",
            "https://[2001:0:a9fe:a9fe::1]/", "https://[2001::5601:5601]/", "https://[::ffff:0:a9fe:a9fe]/",
            "https://[::ffff:100.100.100.200]/", "https://[::ffff:168.63.129.16]/", "https://[fe80::5efe:a9fe:a9fe]/",
            "https://[2001:db8::5efe:169.254.169.254]/", "https://[2001:db8::200:5efe:169.254.169.254]/",
            "https://224.0.0.1/", "https://255.255.255.255/", "https://240.0.0.1/", "https://0.1.2.3/",
            "https://[ff02::1]/", "https://[100::1]/", "https://[64:ff9b::224.0.0.1]/",
        ]
    )
    func `is never within another address, nor one of a cloud by another number or name`(url: String) {
        #expect(WebhookAddress.problem(url, allowsLoopback: false) != nil)
        #expect(WebhookAddress.problem(url, allowsLoopback: true) != nil)
    }

    @Test(
        arguments: [
            "http://localhost:8080/", "https://localhost/", "https://app.localhost/", "http://127.0.0.1:1/",
            "http://[::1]:9/", "https://LOCALHOST/", "https://0.0.0.0/", "https://2130706433/", "https://0x7f000001/",
            "https://localhost./", "https://[::ffff:127.0.0.1]/", "https://[0:0:0:0:0:0:0:1]/", "https://0177.0.0.1/",
            "https://0.0/", "https://0/", "https://127.1/", "https://0x7f.1/", "https://127.0.0.1./", "https://0x/",
            "https://[::]/", "https://[0::0001]/", "https://[::FFFF:7F00:1]/", "https://[::127.0.0.1]/",
            "https://[0:0:0:0:0:ffff:127.9.9.9]/", "https://017700000001/", "https://127.255.255.255/",
        ]
    )
    func `of this machine needs a setting`(url: String) {
        #expect(WebhookAddress.problem(url, allowsLoopback: false) != nil)
        #expect(WebhookAddress.problem(url, allowsLoopback: true) == nil)
    }
}
