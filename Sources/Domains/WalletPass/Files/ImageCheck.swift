import Primitives

/// An image of a pass by the parts of its name.
struct PassImage {
    /// The folder of its language; empty at the top.
    let folder: String
    /// For example `icon`.
    let name: String
    /// 1 to 3.
    let scale: Int
    let path: String
    let size: PNGImage

    /// Name and scale of a file's name without its folder; `nil` for no image of the format.
    static func parts(of base: String) -> (name: String, scale: Int)? {
        guard base.octets.ends(with: ".png") else { return nil }
        let parts = String(decoding: base.utf8.dropLast(4), as: UTF8.self).octets.parts(between: UInt8(ascii: "@"))
        guard let name = parts.first, ImageRule.all[name.octets] != nil else { return nil }
        switch parts.dropFirst().first?.octets {
        case nil: return (name, 1)
        case "1x" where parts.count == 2: return (name, 1)
        case "2x" where parts.count == 2: return (name, 2)
        case "3x" where parts.count == 2: return (name, 3)
        default: return nil
        }
    }

    /// Whether the name of a file is that of some image.
    static func isImage(_ name: String) -> Bool {
        let lower = name.octets.lowercase.octets
        return [".png", ".jpg", ".jpeg", ".gif", ".heic", ".webp", ".svg", ".pdf"].contains { lower.ends(with: $0) }
    }
}

/// Which sizes an image may have, in points, and where it is shown.
struct ImageRule {
    struct Size {
        let width: Int
        let height: Int
    }

    /// Any of these; none for images of any size up to `greatest`.
    var exact: [Size] = []
    /// `nil` for no bound.
    var greatest: Size?
    /// Whether the width is between two thirds and three halves of the height.
    var isNearlySquare = false
    /// Empty for styles of newer systems only.
    var styles: Set<PassStyle> = []

    static let all: [OctetText: ImageRule] = [
        "icon": ImageRule(exact: sizes(38, 38, 29, 29), styles: Set(PassStyle.allCases)),
        "logo": ImageRule(greatest: Size(width: 160, height: 50), styles: Set(PassStyle.allCases)),
        "strip": ImageRule(styles: [.coupon, .eventTicket, .storeCard]),
        "thumbnail": ImageRule(
            greatest: Size(width: 90, height: 90),
            isNearlySquare: true,
            styles: [.eventTicket, .generic]
        ),
        "background": ImageRule(exact: sizes(343, 503, 180, 220), styles: [.eventTicket]),
        "footer": ImageRule(exact: sizes(268, 15, 286, 15), styles: [.boardingPass]),
        "artwork": ImageRule(exact: sizes(358, 448), styles: [.eventTicket, .generic]),
        "primaryLogo": ImageRule(greatest: Size(width: 126, height: 30), styles: [.eventTicket, .boardingPass]),
        "secondaryLogo": ImageRule(greatest: Size(width: 135, height: 12), styles: [.eventTicket]),
        "personalizationLogo": ImageRule(greatest: Size(width: 150, height: 40), styles: [.storeCard]),
        "venueMap": ImageRule(styles: [.eventTicket]),
        "cardHolder": ImageRule(),
    ]

    static func strip(_ style: PassStyle?) -> [Size] {
        switch style {
        case .eventTicket: sizes(375, 98, 320, 84)
        case .coupon: sizes(375, 144, 320, 123)
        case .storeCard: sizes(375, 144, 375, 123, 320, 123)
        default: []
        }
    }

    private static func sizes(_ numbers: Int...) -> [Size] {
        stride(from: 0, to: numbers.count - 1, by: 2).map { Size(width: numbers[$0], height: numbers[$0 + 1]) }
    }
}

/// Judges the images of a pass.
struct ImageCheck {
    let files: [PassFile]
    let style: PassStyle?
    var report: PassReport
    private(set) var images: [PassImage] = []

    init(_ files: [PassFile], style: PassStyle?, isStrict: Bool = false) {
        self.files = files
        self.style = style
        report = PassReport(isStrict: isStrict)
    }

    mutating func run() {
        for file in files where PassImage.isImage(file.name) { read(file) }
        checkIcon()
        for image in images { check(image) }
        let names = Set(images.map(\.name.octets))
        if style == .eventTicket, names.contains("strip"), names.contains("background") || names.contains("thumbnail") {
            report.warning(
                .imageStyle,
                at: "strip.png",
                "an event ticket with a strip shows neither background nor thumbnail"
            )
        }
    }

    private mutating func read(_ file: PassFile) {
        let (folder, base) = PassFileName.split(file.name)
        let parts = PassImage.parts(of: base)
        if parts == nil {
            report.warning(.fileName, at: file.name, "no image of the format", remedy: "name it as icon@2x.png")
            guard file.name.octets.lowercase.octets.ends(with: ".png") else { return }
        }
        do throws(PNGError) {
            let size = try PNGImage(file.bytes)
            guard let parts else { return }
            let image = PassImage(folder: folder, name: parts.name, scale: parts.scale, path: file.name, size: size)
            images.append(image)
        } catch {
            report.error(.image, at: file.name, error.sentence, remedy: "save the image as PNG again")
        }
    }

    private mutating func checkIcon() {
        let icons = images.filter { $0.name.octets == "icon" }
        let scales = Set(icons.filter(\.folder.isEmpty).map(\.scale))
        if scales.isEmpty {
            let folders = Set(icons.map(\.folder.octets))
            let languages = Set(
                files.map { PassFileName.split($0.name).folder.octets }.filter { $0.ends(with: ".lproj") }
            )
            if folders.isEmpty || folders != languages {
                report.error(
                    .icon,
                    at: "icon.png",
                    "missing at the top",
                    remedy: "add icon.png, icon@2x.png and icon@3x.png"
                )
            }
        } else if !scales.isSuperset(of: [2, 3]) {
            report.warning(.iconScales, at: "icon.png", "lacks scales", remedy: "add icon@2x.png and icon@3x.png")
        }
    }

    private mutating func check(_ image: PassImage) {
        guard let rule = ImageRule.all[image.name.octets] else { return }
        let isStrip = image.name.octets == "strip"
        let exact = isStrip ? ImageRule.strip(style) : rule.exact
        let (width, height) = (image.size.width, image.size.height)
        let written = "\(width) x \(height) pixels"
        let fits = exact.contains { $0.width * image.scale == width && $0.height * image.scale == height }
        if !exact.isEmpty, !fits {
            let sizes = exact.map { "\($0.width * image.scale) x \($0.height * image.scale)" }.joined(separator: " or ")
            report.warning(.imageSize, at: image.path, written, remedy: "make it \(sizes)")
        }
        if let most = rule.greatest, width > most.width * image.scale || height > most.height * image.scale {
            let size = "\(most.width * image.scale) x \(most.height * image.scale)"
            report.warning(.imageSize, at: image.path, written, remedy: "make it no larger than \(size)")
        }
        if rule.isNearlySquare, width * 3 < height * 2 || width * 2 > height * 3 {
            report.warning(.imageSize, at: image.path, "wider or higher than 3 to 2")
        }
        if let style, !rule.styles.isEmpty, !rule.styles.contains(style) {
            report.warning(.imageStyle, at: image.path, "not shown by \(style.rawValue)", remedy: "remove it")
        }
        let single = images.first {
            $0.scale == 1 && $0.folder.octets == image.folder.octets && $0.name.octets == image.name.octets
        }
        guard let single, image.scale > 1 else { return }
        if abs(single.size.width * image.scale - width) > image.scale
            || abs(single.size.height * image.scale - height) > image.scale
        {
            report.warning(.imageScales, at: image.path, "not \(image.scale) times the size of \(single.path)")
        }
    }
}
