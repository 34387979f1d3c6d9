import CNGHTTP2
import HTTPCore

/// Puts the header block of a response together for the library; one for each loop.
///
/// What many responses share is laid out once, in memory of its own that the library may refer to for as long as this
/// object lives. The rest is written into a scratch buffer that the library copies from.
@safe final class ResponseFields {
    private var images: [ObjectIdentifier: FieldImage] = [:]
    private static let mostImages = 256
    /// Name and value of what has no image, one behind the other.
    private var scratch: [UInt8] = []
    private var lengths: [(name: Int, value: Int)] = []
    /// Which of them hold a cookie: those stay out of every table.
    private var secrets: [Int] = []
    private var pairs: [nghttp2_nv] = unsafe []

    /// Hands the finished block over.
    ///
    /// - Parameters:
    ///   - body: Gets the pairs; they hold for the time of the call.
    func withPairs<Result>(
        _ response: HTTPResponse,
        date: Span<UInt8>,
        _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result
    ) -> Result {
        begin()
        add(":status") { ResponseFields.appendDigits(response.status.code, to: &$0) }
        let image = image(of: response.block)
        if image == nil { for field in response.block.fields { add(field) } }
        for field in response.fields where !field.name.belongsToServer { add(field) }
        if response.status.allowsContent {
            add("content-length") { ResponseFields.appendDigits(response.body.count, to: &$0) }
        }
        add("date") { $0.append(date) }
        return unsafe finish(image, body)
    }

    /// Likewise for a response that is the same every time but for its date.
    func withPairs<Result>(
        _ response: StaticResponse,
        date: Span<UInt8>,
        _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result
    ) -> Result {
        guard date.count == FieldImage.dateLength, let image = image(of: response) else {
            return unsafe withPairs(response.response, date: date, body)
        }
        return unsafe image.withPairs(date, body)
    }

    /// Likewise for the word that a client may send its content.
    func withContinue(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Void) {
        begin()
        add(":status") { $0.append(text: "100") }
        unsafe finish(nil, body)
    }

    // MARK: What is made anew

    private func begin() {
        scratch.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        secrets.removeAll(keepingCapacity: true)
        unsafe pairs.removeAll(keepingCapacity: true)
    }

    private func add(_ name: StaticString, _ appendValue: (inout [UInt8]) -> Void) {
        let start = scratch.count
        scratch.append(text: name)
        appendValue(&scratch)
        lengths.append((name.utf8CodeUnitCount, scratch.count - start - name.utf8CodeUnitCount))
    }

    private func add(_ field: HTTPField) {
        let start = scratch.count
        if field.name == .setCookie { secrets.append(lengths.count) }
        // The library lowers the case of what it copies.
        scratch.append(field.name.spelling.utf8Span.span)
        let middle = scratch.count
        scratch.append(field.value.utf8Span.span)
        lengths.append((middle - start, scratch.count - middle))
    }

    private func finish<Result>(
        _ image: FieldImage?,
        _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result
    ) -> Result {
        unsafe scratch.withUnsafeMutableBufferPointer { bytes in
            var position = bytes.baseAddress
            for (index, length) in lengths.enumerated() {
                // Pseudo-fields come before all others.
                if index == 1, let image { unsafe pairs.append(contentsOf: image.pairs) }
                unsafe pairs.append(
                    nghttp2_nv(
                        name: position,
                        value: position.map { unsafe $0 + length.name },
                        namelen: length.name,
                        valuelen: length.value,
                        flags: UInt8(secrets.contains(index) ? NGHTTP2_NV_FLAG_NO_INDEX.rawValue : 0)
                    )
                )
                unsafe position = position.map { unsafe $0 + length.name + length.value }
            }
            return unsafe pairs.withUnsafeBufferPointer { unsafe body($0.baseAddress, $0.count) }
        }
    }

    private static func appendDigits(_ number: Int, to bytes: inout [UInt8]) {
        var unit = 1
        while number / unit >= 10 { unit *= 10 }
        while unit > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / unit % 10))
            unit /= 10
        }
    }

    // MARK: What is laid out once

    private func image(of block: FieldBlock) -> FieldImage? {
        if let image = images[ObjectIdentifier(block)] { return image }
        return keep(block, hasDate: false) { block.fields.map(\.bytes) }
    }

    private func image(of response: StaticResponse) -> FieldImage? {
        if let image = images[ObjectIdentifier(response)] { return image }
        return keep(response, hasDate: true) {
            let plain = response.response
            let own = plain.fields.filter { !$0.name.belongsToServer }
            var fields = [ResponseFields.number(":status", plain.status.code)]
            fields += (plain.block.fields + own).map(\.bytes)
            if plain.status.allowsContent { fields.append(ResponseFields.number("content-length", plain.body.count)) }
            return fields
        }
    }

    private static func number(_ name: String, _ number: Int) -> (name: [UInt8], value: [UInt8]) {
        (Array(name.utf8), Array("\(number)".utf8))
    }

    /// Keeps an image; programs have a fixed number of blocks, and for others memory stays bounded.
    private func keep(
        _ source: AnyObject,
        hasDate: Bool,
        _ fields: () -> [(name: [UInt8], value: [UInt8])]
    ) -> FieldImage? {
        guard images.count < ResponseFields.mostImages else { return nil }
        let image = FieldImage(of: source, fields(), hasDate: hasDate)
        images[ObjectIdentifier(source)] = image
        return image
    }
}

/// Names in lower case and values of some fields at addresses that do not change while the object lives.
@safe private final class FieldImage {
    /// How long the value of a Date field is.
    static let dateLength = 29
    private static let date = (name: Array("date".utf8), value: [UInt8](repeating: 0x20, count: dateLength))

    /// Whose fields they are; held so that nothing else gets its identity.
    let source: AnyObject
    /// The last one is the Date field where the image has one.
    let pairs: [nghttp2_nv]
    private let bytes: UnsafeMutablePointer<UInt8>
    private let count: Int

    init(of source: AnyObject, _ fields: [(name: [UInt8], value: [UInt8])], hasDate: Bool) {
        self.source = source
        let fields = hasDate ? fields + [FieldImage.date] : fields
        let all = fields.flatMap { $0.name + $0.value }
        count = all.count
        unsafe bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: all.count + 1)
        for (index, byte) in all.enumerated() { unsafe bytes[index] = byte }
        var position = unsafe bytes
        let constant = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
        // A frame may wait while the date moves on: the library copies that one.
        let copied = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
        let last = hasDate ? fields.count - 1 : fields.count
        unsafe pairs = fields.enumerated().map { index, field in
            defer { unsafe position += field.name.count + field.value.count }
            return unsafe nghttp2_nv(
                name: position,
                value: position + field.name.count,
                namelen: field.name.count,
                valuelen: field.value.count,
                flags: index < last ? constant : copied
            )
        }
    }

    deinit { unsafe bytes.deallocate() }

    /// Hands the pairs over with a date; for images that have one.
    func withPairs<Result>(
        _ date: Span<UInt8>,
        _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result
    ) -> Result {
        unsafe date.withUnsafeBufferPointer { date in
            guard let start = date.baseAddress, date.count == FieldImage.dateLength else { return }
            unsafe (bytes + count - date.count).update(from: start, count: date.count)
        }
        return unsafe pairs.withUnsafeBufferPointer { unsafe body($0.baseAddress, $0.count) }
    }
}

extension HTTPField {
    fileprivate var bytes: (name: [UInt8], value: [UInt8]) { (Array(name.text.utf8), Array(value.utf8)) }
}
