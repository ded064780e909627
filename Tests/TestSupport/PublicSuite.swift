import Foundation
import Testing

/// A public test suite, which is not part of this package.
///
/// Its tests run where an environment variable has the path of a checkout, such as
/// `FERRY_HTTP_STATE=~/http-state swift test --skip-build --filter HTTPStateTests`.
package enum PublicSuite: String {
    /// Cookies: https://github.com/abarth/http-state.
    case httpState = "FERRY_HTTP_STATE"
    /// Caches: https://github.com/http-tests/cache-tests.
    case cacheTests = "FERRY_CACHE_TESTS"

    /// The folder of the checkout.
    package var folder: URL? {
        ProcessInfo.processInfo.environment[rawValue].map { URL(fileURLWithPath: $0, isDirectory: true) }
    }
}

extension Trait where Self == ConditionTrait {
    /// A test that runs only where a public suite is checked out.
    package static func publicSuite(_ suite: PublicSuite) -> Self {
        .enabled(if: suite.folder != nil, Comment(rawValue: "\(suite.rawValue) has no path of a checkout"))
    }
}
