import Ferry
import Foundation

/// A search for planted secrets in all texts that can be printed for a value.
enum PlantedSecrets {
    /// A part of each secret.
    static let mark = "pl4nted"

    /// A user name and a password, as in a URL.
    static let userInfo = "\(mark)user:\(mark)pass@"

    /// The searched texts: the mark, and user and password in Basic's encoding.
    private static let forms = [mark, Data("\(mark)user:\(mark)pass".utf8).base64EncodedString()]

    /// Returns the texts of values that contain a secret.
    static func findings(_ values: [Any?]) -> [String] {
        values.compactMap { $0 }.flatMap(texts).filter { text in
            // Foundation capitalizes the names of header fields.
            forms.contains { text.localizedCaseInsensitiveContains($0) }
        }
    }

    /// Returns the descriptions of a value, the output of `dump`, and the descriptions of an error's underlying errors.
    static func texts(of value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var texts = [String(describing: value), String(reflecting: value), dumped]
        if let error = value as? any Error {
            let bridged = error as NSError
            texts += [error.localizedDescription, bridged.description, bridged.debugDescription]
            texts += ["\(bridged.userInfo)", bridged.localizedFailureReason ?? ""]
            if let under = bridged.userInfo[NSUnderlyingErrorKey] as? any Error { texts += self.texts(of: under) }
        }
        if let error = value as? NetworkError {
            texts += self.texts(of: error.nsError)
            texts += [error.failingURL].compactMap { $0.map(String.init(describing:)) }
            if let under = error.underlyingError { texts += self.texts(of: under) }
        }
        return texts
    }
}
