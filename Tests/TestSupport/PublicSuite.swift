import Foundation
import Testing

/// A public test suite that is not part of this package.
///
/// Its tests run only if an environment variable is set to the path of a checkout, as in
/// `FERRY_HTTP_STATE=~/http-state swift test --skip-build --filter HTTPStateTests`.
package enum PublicSuite: String {
    /// Cookies: https://github.com/abarth/http-state.
    case httpState = "FERRY_HTTP_STATE"
    /// Caches: https://github.com/http-tests/cache-tests.
    case cacheTests = "FERRY_CACHE_TESTS"
    /// JSON: https://github.com/nst/JSONTestSuite.
    case jsonTestSuite = "FERRY_JSON_TEST_SUITE"
    /// XML: the folder `xmlconf` of https://www.w3.org/XML/Test/.
    case xmlConformance = "FERRY_XMLCONF"

    /// The folder of the checkout, or `nil` if the environment variable is not set.
    package var folder: URL? {
        ProcessInfo.processInfo.environment[rawValue].map { URL(fileURLWithPath: $0, isDirectory: true) }
    }
}

extension Trait where Self == ConditionTrait {
    /// Returns a condition that enables a test only if a public suite is checked out.
    package static func publicSuite(_ suite: PublicSuite) -> Self {
        .enabled(if: suite.folder != nil, Comment(rawValue: "\(suite.rawValue) is not set to the path of a checkout"))
    }
}
