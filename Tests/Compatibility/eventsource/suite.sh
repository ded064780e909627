# https://github.com/mattt/EventSource, without its trait for AsyncHTTPClient.
prepare() {
    cp -r "$checkout"/{Sources,Tests} .
    cp "$files/Package.swift" .
}

# FoundationNetworking has no URLSession.bytes, so its tests run only over CurlSession. They are given the events of
# the suite, since CurlSession.Bytes has a property of the same name.
use_curl() {
    use_curl_session Sources Tests
    replace 's/^( *#if) !canImport\(FoundationNetworking\)$/\1 true/
             s/\bbyteStream\.events\b/AsyncServerSentEventsSequence(base: byteStream)/
             s/createMockSession\(\) -> URLSession/createMockSession() -> CurlSession/' Tests
}
