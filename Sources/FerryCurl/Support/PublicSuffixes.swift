internal import CFerry

/// The list of public suffixes, such as `co.uk`, if libcurl has loaded it into the process.
package enum PublicSuffixes {
    /// Returns whether a host may set cookies for a domain; `nil` if there is no list.
    package static func allow(_ host: String, cookiesFor domain: String) -> Bool? {
        switch ferry_cookie_domain_acceptable(host, domain) {
        case 1: true
        case 0: false
        default: nil
        }
    }
}
