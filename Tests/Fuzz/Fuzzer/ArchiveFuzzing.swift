import Primitives
import ZIP

@testable import WalletPass

/// Files that are packed, and what is in a pass beside JSON: archives, images, translations.
///
/// What a strict reader takes is written, and read again as the same.
let archiveTarget = FuzzTarget(
    name: "archive",
    examine: { unit in
        guard let selection = Selection(unit, of: 3) else { return }
        switch selection.number {
        case 0: examineArchive(selection.rest)
        case 1: examineImage(selection.rest)
        default: examineStrings(selection.rest)
        }
    },
    read: { unit in
        guard let selection = Selection(unit, of: 3) else { return }
        switch selection.number {
        case 0: _ = ZIPArchive(reading: selection.rest, limits: limits)
        case 1: _ = try? PNGImage(selection.rest)
        default: _ = try? StringsFile(selection.rest)
        }
    }
)

/// Small, so that what lies beyond them is reached by small units.
private let limits: ZIPLimits = {
    var limits = ZIPLimits()
    limits.contents = 64 << 10
    limits.entries = 100
    return limits
}()

private func examineArchive(_ unit: [UInt8]) {
    let opened = ZIPArchive(reading: unit, limits: limits)
    check(opened.entries.reduce(0) { $0 + $1.bytes.count } <= limits.contents, "contents are within the limit")
    check(Set(opened.entries.map(\.name.octets)).count == opened.entries.count, "a name is there once")
    guard let strict = try? ZIPArchive(strict: unit, limits: limits) else { return }
    var writer = ZIPWriter(time: PassSamples.time)
    for entry in strict.entries {
        let isWritten = (try? writer.add(entry.name, ZIPBody(entry.bytes))) != nil
        check(isWritten, "a name that a strict reader takes can be written: \(shown(entry.name.utf8))")
    }
    guard !strict.entries.isEmpty else { return }
    let again = try? ZIPArchive(strict: writer.finish(), limits: limits)
    check(again?.entries.map(\.bytes) == strict.entries.map(\.bytes), "contents come through")
    check(again?.entries.map(\.name.octets) == strict.entries.map(\.name.octets), "names come through")
}

private func examineImage(_ unit: [UInt8]) {
    guard let image = try? PNGImage(unit) else { return }
    check(
        (1...PNGImage.limit).contains(image.width) && (1...PNGImage.limit).contains(image.height),
        "an image has a size"
    )
    // The chunks once more, by their lengths alone.
    var place = 8
    var last: [UInt8] = []
    while place + 12 <= unit.count {
        let length = unit[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
        last = Array(unit[(place + 4)..<(place + 8)])
        place += length + 12
    }
    check(place == unit.count && last == Array("IEND".utf8), "chunks fill an image to its end")
}

private func examineStrings(_ unit: [UInt8]) {
    guard let file = try? StringsFile(unit) else { return }
    let again = try? StringsFile(file.bytes)
    check(again?.texts.count == file.texts.count, "keys come through")
    for (key, text) in file.texts {
        check(again?.texts[key]?.octets == text.octets, "a text comes through: \(shown(key.utf8))")
    }
}
