import Ferry

/// Writes command lines for a shell.
enum ShellText {
    /// Returns the command that continues an interrupted one, with placeholders for secrets.
    static func resumption(_ program: String, _ arguments: [String], continues: Bool) -> String {
        ([program] + (continues ? [] : ["--continue"]) + presentable(arguments)).map(quoted).joined(separator: " ")
    }

    /// The largest number of URLs of a batch that are written on a command line.
    private static let maximumBatchURLs = 100

    /// Returns the arguments with only the URLs in `wanted`, as indices from 0, and their `-o` or `-O`.
    ///
    /// `--batch` is replaced by its wanted URLs, which follow those of the arguments in `urls`, and by their names in
    /// `batchOutputs`. It is kept if there are too many of them, if one has credentials that were not typed on the
    /// command line, or if a name would belong to another URL.
    static func arguments(
        _ arguments: [String],
        withURLs wanted: Set<Int>,
        of urls: [URL] = [],
        batchOutputs: [Int: String] = [:]
    ) -> [String] {
        guard let tokens = try? ArgumentScanner.scan(arguments) else { return arguments }
        // The URLs may be in the file.
        guard !tokens.contains(where: { $0.option == .config }) else { return arguments }
        let kinds = OperandKind.kinds(of: tokens)
        let typedCount = kinds.count { if case .url? = $0 { true } else { false } }
        let slots = tokens.compactMap(\.option).filter { $0 == .output || $0 == .remoteName }
        let rest = urls.indices.dropFirst(typedCount).filter(wanted.contains)
        let hasNames = rest.contains { batchOutputs[$0] != nil }
        let canHaveNames =
            wanted.allSatisfy { $0 >= typedCount || $0 < slots.count }
            && (slots.contains(.remoteName) || rest.allSatisfy { batchOutputs[$0] != nil })
        let canBeListed =
            rest.count <= maximumBatchURLs && (!hasNames || canHaveNames)
            && rest.allSatisfy { urls[$0].user == nil && urls[$0].password == nil }
        // The URLs that keep the -o or -O at their position; one -O applies to all further URLs.
        let slotted = hasNames && canBeListed ? wanted.filter { $0 < typedCount } : wanted
        let needsRemoteName =
            slots.contains(.remoteName) && slotted.contains { $0 >= slots.count }
            && !slots.indices.contains { slots[$0] == .remoteName && slotted.contains($0) }
        var words: [String] = []
        // Items follow the URLs, and the first URL may be left out.
        var items: [String] = []
        var batch: [String] = []
        var (urlCount, slotCount, place) = (0, 0, 0)
        for (token, kind) in zip(tokens, kinds) {
            if case .url(let url)? = kind {
                if wanted.contains(urlCount) { words.append(url) }
                urlCount += 1
                continue
            }
            switch token {
            case .operand(let text):
                if case .item? = kind { items.append(text) } else { words.append(text) }
            case .option(.batch, let value): batch = ["--\(Option.batch.rawValue)", value ?? ""]
            case .option(let option, let value):
                let isSlot = option == .output || option == .remoteName
                if isSlot { slotCount += 1 }
                if !isSlot || slotted.contains(slotCount - 1) {
                    words.append(option.short.map { "-\($0)" } ?? "--\(option.rawValue)")
                    if let value { words.append(value) }
                }
                if isSlot { place = words.count }
            }
        }
        if needsRemoteName { words.insert("-O", at: place) }
        let listed = rest.flatMap { index -> [String] in
            let name = batchOutputs[index].map { ["-o", $0] } ?? ["-O"]
            return (hasNames ? name : []) + [urls[index].absoluteString]
        }
        return words + (canBeListed ? listed : batch) + items
    }

    /// Returns the arguments with placeholders for user information, secret parameters and the values of secret header
    /// fields.
    ///
    /// Arguments without secrets are returned as they were typed.
    static func presentable(_ arguments: [String]) -> [String] {
        guard let tokens = try? ArgumentScanner.scan(arguments) else { return arguments }
        var hasSecret = false
        // The config file may have URLs, so that an operand may be an item or a URL.
        let hasConfig = tokens.contains { $0.option == .config }
        let words = zip(tokens, OperandKind.kinds(of: tokens)).flatMap { token, kind -> [String] in
            switch token {
            case .operand(let text):
                let isItem = if case .item? = kind { true } else { false }
                var shown = isItem ? RequestItem.presentable(text) : text
                if !isItem || hasConfig { shown = Self.shown(shown, of: nil) }
                hasSecret = hasSecret || shown != text
                return [shown]
            case .option(let option, let value):
                let shown = value.map { Self.shown($0, of: option) }
                hasSecret = hasSecret || shown != value
                return [option.short.map { "-\($0)" } ?? "--\(option.rawValue)"] + [shown].compactMap { $0 }
            }
        }
        return hasSecret ? words : arguments
    }

    /// Returns an argument without its secrets; without an option, it is a URL.
    private static func shown(_ value: String, of option: Option?) -> String {
        switch option {
        case nil, .url, .proxy, .referer, .mirror, .resolverURL: return url(value)
        case .header:
            guard let colon = value.firstIndex(of: ":") else { return value }
            let name = String(value[..<colon])
            let text = value[value.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            let shown = field(name, text)
            return shown == text ? value : "\(name): \(shown)"
        case .user, .oauth2Bearer: return SecretName.placeholder
        case .cookie: return value.contains("=") && !value.hasPrefix("@") ? SecretName.placeholder : value
        case .certificate:
            guard let certificate = try? CertificateArgument(parsing: value), certificate.passphrase != nil else {
                return value
            }
            return certificate.path + ":" + SecretName.placeholder
        case .data, .dataRaw, .dataBinary:
            let first = value.utf8.first { $0 > 0x20 }
            let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
            return isJSON ? json(value) : PresentableText.redactedPairs(value[...])
        case .dataURLEncode, .form: return PresentableText.redactedPairs(value[...])
        case .json: return json(value)
        default: return value
        }
    }

    private static func json(_ text: String) -> String { JSONRedactor.redact(text) { SecretName.isSecret($0) } }

    /// Returns a URL with placeholders for its user information and secret parameters.
    private static func url(_ text: String) -> String {
        let placeholder = SecretName.placeholder + "@"
        return PresentableText.withoutSecretParameters(PresentableText.withoutUserInfo(text, replacement: placeholder))
    }

    /// Returns the value of a header field with placeholders for secrets.
    static func field(_ name: String, _ value: String) -> String {
        if value.isEmpty { return value }
        return SecretName.isSecret(name)
            ? SecretName.placeholder : PresentableText.field(name.lowercased(), value, url: url)
    }

    static func quoted(_ word: String) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,")
        return !word.isEmpty && word.allSatisfy(plain.contains) ? word : word.shellQuoted
    }
}
