# https://github.com/apple/swift-openapi-urlsession
#
# Its streaming mode needs Apple's systems. The tests of the buffered mode that are not built on Linux are enabled.
prepare() {
    cp -r "$checkout"/{Package.swift,Sources,Tests} .
    local tests=Tests/OpenAPIURLSessionTests
    replace 's/^( *#if) canImport\(Darwin\)/\1 true/' \
        "$tests"/{URLSessionTransportTests,TaskCancellationTests,URLSessionBidirectionalStreamingTests/MockAsyncSequence}.swift
    perl -0pi -e 's/^(class|extension) URLSessionTransportStreamingTests.*?^}$/#if canImport(Darwin)\n$&\n#endif/gms' \
        "$tests"/{URLSessionTransportTests,TaskCancellationTests}.swift
}

# A session that is not specified is the shared one.
use_curl() {
    use_curl_session Sources Tests
    replace 's/(session: URLSession) = \.shared/\1 = CurlSession.shared/' Sources
}
