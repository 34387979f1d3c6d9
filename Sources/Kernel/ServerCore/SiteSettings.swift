import Cryptography
import EventIO
package import Pages
import Primitives
package import Settings

/// What the settings say of all pages, whichever feature has them: the static files and the shop's look.
package struct SiteSettings: Sendable {
    /// Folder of the static files.
    private let publicDirectory: String
    /// The shop's name on every page; `nil` where a feature or the host names it.
    package let shopName: String?
    /// Empty for the program's mark.
    private let logoPath: String
    /// `nil` for the colour of the style sheet.
    package let accent: AccentColour?

    /// Reads them.
    package init(_ read: inout SettingReader) {
        publicDirectory = read.programFolder(
            "public_dir",
            "public",
            "folder of the static files; empty: beside the program"
        )
        let name = read.text(
            "shop.name",
            "",
            "the shop's name on every page; empty: provider.store_name, or the web host where there is no checkout"
        )
        if !PrintableText.isGood(name, length: 0...100) {
            read.complain("shop.name", "not a line of at most 100 characters, without blanks at its ends")
        }
        shopName = name.isEmpty ? nil : name
        logoPath = read.file(
            "shop.logo",
            "PNG, JPEG, WebP or SVG of at most 64 KB beside the shop's name; empty: the program's logo"
        )
        let colour = read.text(
            "shop.accent",
            "",
            "colour of buttons and links, such as #17525f; text on it is white or black, by contrast"
        )
        accent = AccentColour(colour)
        if !colour.isEmpty, accent == nil { read.complain("shop.accent", "not a colour such as #17525f") }
    }

    /// Reads the static files.
    ///
    /// - Parameter features: What their pages ask for, beside what every page does.
    /// - Throws: What is wrong with a file.
    package func assets(_ features: [StaticAsset]) throws(ConfigurationError) -> StaticAssets {
        let look = ShopLook(logo: try logo(), accent: accent)
        do throws(IOError) {
            return try StaticAssets(
                features,
                read: { (path) throws(IOError) in try Files.read(publicDirectory + "/" + path) },
                digest: { SHA256.digest(of: $0) },
                look: look
            )
        } catch {
            throw ConfigurationError(problems: [
                "public_dir: \(publicDirectory) lacks a file of the pages: \(error.sentence)"
            ])
        }
    }

    private func logo() throws(ConfigurationError) -> ShopLogo? {
        guard !logoPath.isEmpty else { return nil }
        do throws(IOError) {
            if let logo = ShopLogo(try Files.read(logoPath, limit: ShopLogo.limit)) { return logo }
        } catch {
            throw ConfigurationError(problems: [
                "shop.logo: \(logoPath) of at most \(ShopLogo.limit) bytes cannot be read: \(error.sentence)"
            ])
        }
        throw ConfigurationError(problems: ["shop.logo: \(logoPath) is no PNG, JPEG, WebP or SVG"])
    }
}

/// A file that the pages of a feature ask for.
extension StaticAsset: FeatureSlot {}
