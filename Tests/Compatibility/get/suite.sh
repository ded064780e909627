# https://github.com/kean/Get
#
# Its downloads, and the tests that are not built on Linux, are enabled.
prepare() {
    cp -r "$checkout"/{Package.swift,Sources,Tests} .
    replace 's/^#if !os\(Linux\)$/#if true/' Sources/Get/APIClient.swift
    find Tests -name '*.swift' -print0 |
        xargs -0 perl -0pi -e 's/^#if !os\(Linux\)[^\n]*\n(?=final class|    func test)/#if true\n/gm'
    sed -i 's/^@testable import Get$/&\nimport FoundationNetworking/' Tests/GetTests/ClientSessionDelegateTests.swift
}

use_curl() { use_curl_session Sources Tests; }
