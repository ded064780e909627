import Foundation

/// A search for a user name and a password in everything that can be read from a value.
package enum SecretScan {
    /// A user name that is not part of another word.
    package static let user = "adal0ve"
    package static let password = "s3cret"
    package static let userInfo = "\(user):\(password)@"

    /// Returns the texts in a value that contain the user name or the password.
    ///
    /// Resume data is not searched: it contains what is needed to repeat the request, and is documented as
    /// confidential.
    package static func findings(in value: Any) -> [String] {
        texts(of: value, depth: 0).filter { $0.contains(user) || $0.contains(password) }
    }

    private static func texts(of value: Any, depth: Int) -> [String] {
        let deepest = 12
        guard depth < deepest else { return [] }
        // Optionals and values inside an `Any` are searched through their mirror, below.
        var texts = [String(describing: value), String(reflecting: value)]
        if let data = value as? Data { texts.append(String(decoding: data, as: UTF8.self)) }
        if let url = value as? URL { texts += [url.absoluteString, url.user ?? "", url.password ?? ""] }
        if let error = value as? any Error { texts += self.texts(ofError: error, depth: depth) }
        if let dictionary = value as? [AnyHashable: Any] {
            for (key, value) in dictionary where "\(key)" != "NSURLSessionDownloadTaskResumeData" {
                texts += ["\(key)"] + self.texts(of: value, depth: depth + 1)
            }
            return texts
        }
        if value is String || value is Data || value is URL { return texts }
        for child in Mirror(reflecting: value).children where child.label != "resumeData" {
            texts += self.texts(of: child.value, depth: depth + 1)
        }
        return texts
    }

    private static func texts(ofError error: any Error, depth: Int) -> [String] {
        var texts = [error.localizedDescription, "\(error)"]
        if let error = error as? any LocalizedError {
            texts += [error.errorDescription, error.failureReason, error.recoverySuggestion].compactMap { $0 }
        }
        if let error = error as? any CustomNSError { texts += self.texts(of: error.errorUserInfo, depth: depth + 1) }
        let bridged = error as NSError
        texts += [bridged.domain, bridged.localizedDescription]
        return texts + self.texts(of: bridged.userInfo, depth: depth + 1)
    }
}
