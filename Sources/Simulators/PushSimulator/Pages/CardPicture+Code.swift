import Pages
import SimulatorCore

extension CardPicture {
    /// A text as a QR code without a size of its own; nothing for one that is too long.
    static func code(_ text: String) -> SimulatorCore.HTML {
        guard let code = QRCode(text) else { return "" }
        let side = String(code.side)
        return "<svg viewBox=\"0 0 \(side) \(side)\" role=\"img\" aria-label=\"QR\"><path d=\"\(code.path)\"/></svg>"
    }
}
