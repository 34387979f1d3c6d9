/// The link host's page of one language: complete in itself, so that nothing is fetched from an address with a ticket.
struct LinkPage: Sendable {
    private enum PageSlot {
        case nonce
    }

    private let template: Template<PageSlot>

    init(_ frame: Frame) {
        let texts = frame.texts.link
        template = Template { page in
            page.html("<!DOCTYPE html>\n<html lang=\"")
            page.constant.text(frame.texts.language.rawValue)
            page.html("\">\n<head>\n<meta charset=\"utf-8\">\n<script nonce=\"")
            page.slot(.nonce)
            // First of all: the query leaves the address bar and the history.
            page.html("\">history.replaceState(null, \"\", location.pathname);</script>\n<title>")
            page.text(texts.title)
            page.html(" | ")
            page.constant.text(frame.site.shopName)
            page.html("</title>\n")
            page.metadata()
            page.html("<link rel=\"icon\" href=\"data:,\">\n<style nonce=\"")
            page.slot(.nonce)
            page.html("\">\n")
            page.constant.fragment(frame.assets.content(.linkStyles))
            page.html("</style>\n</head>\n<body>\n")
            Self.content(&page, frame)
            page.html("</body>\n</html>\n")
        }
    }

    /// Writes the page.
    ///
    /// - Parameter nonce: The one in the policy.
    /// - Returns: The document.
    func render(nonce: Nonce) -> [UInt8] {
        template.render(room: 64) { slot, writer in
            switch slot {
            case .nonce: writer.nonce(nonce)
            }
        }
    }

    private static func content(_ page: inout TemplateBuilder<PageSlot>, _ frame: Frame) {
        let texts = frame.texts.link
        page.html("<main>\n<h1>")
        page.text(texts.heading)
        page.html("</h1>\n<p>")
        page.text(texts.lead)
        page.html("</p>\n<p><a id=\"rescue\" class=\"button\" rel=\"noreferrer\" href=\"")
        page.constant.link(frame.site.rescue)
        page.html("\">")
        page.text(texts.rescue)
        page.html("</a></p>\n<ul>\n")
        for step in texts.steps {
            page.html("<li>")
            page.text(step)
            page.html("</li>\n")
        }
        page.html("</ul>\n<p class=\"note\">")
        page.text(texts.charge)
        page.html("</p>\n</main>\n")
    }
}
