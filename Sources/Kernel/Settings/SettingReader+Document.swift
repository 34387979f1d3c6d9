package import StrictJSON

extension SettingReader {
    /// Every setting as the file of `--config` has it, with nested objects for the dots.
    ///
    /// Secrets are left out, and what only a variable sets.
    package var document: JSONValue {
        var members: [JSONMember] = []
        for setting in settings where !setting.isSecret && !setting.isOnlyVariable {
            SettingReader.insert(value(of: setting), at: setting.name.split(separator: ".")[...], in: &members)
        }
        return .object(members)
    }

    private func value(of setting: Setting) -> JSONValue {
        let text = texts[setting.name] ?? ""
        return switch setting.kind {
        case .objects: .array(objects[setting.name] ?? [])
        case .list: .array(text.split(separator: ",").map { .string(String($0)) })
        case .flag: (text == "true" || text == "false") ? .bool(text == "true") : .string(text)
        // A number may be left empty, for what the profile or the provider says.
        case .number: Int(text).map { JSONValue($0) } ?? .string(text)
        case .text, .folder, .file, .secretFile, .duration, .choice, .address: .string(text)
        }
    }

    static func insert(_ value: JSONValue, at path: ArraySlice<Substring>, in members: inout [JSONMember]) {
        guard let first = path.first else { return }
        let name = String(first)
        if path.count == 1 {
            members.append(JSONMember(name, value))
        } else if let index = members.firstIndex(where: { $0.name == name }) {
            var inner = members[index].value.members
            insert(value, at: path.dropFirst(), in: &inner)
            members[index] = JSONMember(name, .object(inner))
        } else {
            var inner: [JSONMember] = []
            insert(value, at: path.dropFirst(), in: &inner)
            members.append(JSONMember(name, .object(inner)))
        }
    }
}
