/// The file name a response suggests (RFC 6266), made safe to be one name in a folder.
enum ContentDisposition {
    /// The name that the field gives, with `filename*` (RFC 8187) before `filename`, or `nil`.
    static func filename(_ field: String) -> String? {
        var plain: String?
        for (name, value) in parameters(of: field) {
            if name == "filename*", let decoded = extended(value), let safe = safe(decoded) { return safe }
            if name == "filename", plain == nil { plain = safe(value) }
        }
        return plain
    }

    /// One path component that is neither hidden nor a way out of its folder, or `nil` where nothing is left.
    static func safe(_ name: String) -> String? {
        // Both separators end a component: servers on Windows send whole paths.
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        let clean = String(last.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })
            .trimmingCharacters(in: .whitespaces)
        let visible = clean.drop { $0 == "." }
        guard !visible.isEmpty else { return nil }
        var result = String(visible)
        let longest = 255
        while result.utf8.count > longest { result.unicodeScalars.removeLast() }
        return result
    }

    private static func extended(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        switch parts[0].lowercased() {
        case "utf-8": return String(parts[2]).removingPercentEncoding
        case "iso-8859-1":
            var scalars = String.UnicodeScalarView()
            var rest = parts[2][...]
            while let character = rest.first {
                rest = rest.dropFirst()
                if character == "%", let byte = UInt8(rest.prefix(2), radix: 16) {
                    scalars.append(Unicode.Scalar(byte))
                    rest = rest.dropFirst(2)
                } else {
                    scalars.append(contentsOf: character.unicodeScalars)
                }
            }
            return String(scalars)
        default: return nil
        }
    }

    /// The parameters behind the disposition type, names in lower case, quoted strings unquoted.
    private static func parameters(of field: String) -> [(name: String, value: String)] {
        var result: [(name: String, value: String)] = []
        var piece = ""
        var isQuoted = false
        var isEscaped = false
        var pieces: [String] = []
        for character in field {
            if isEscaped {
                piece.append(character)
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ";", !isQuoted {
                pieces.append(piece)
                piece = ""
            } else {
                piece.append(character)
            }
        }
        pieces.append(piece)
        for parameter in pieces.dropFirst() {
            guard let equals = parameter.firstIndex(of: "=") else { continue }
            let name = parameter[..<equals].trimmingCharacters(in: .whitespaces).lowercased()
            let value = parameter[parameter.index(after: equals)...].trimmingCharacters(in: .whitespaces)
            result.append((name, value))
        }
        return result
    }
}
