# https://github.com/mattt/EventSource, without its trait for AsyncHTTPClient.
prepare() {
    cp -r "$checkout"/{Sources,Tests} .
    cp "$files/Package.swift" .
}

# FoundationNetworking has no URLSession.bytes, so its tests run only over CurlSession.
use_curl() {
    use_curl_session Sources Tests
    replace 's/^( *#if) !canImport\(FoundationNetworking\)$/\1 true/
             s/createMockSession\(\) -> URLSession/createMockSession() -> CurlSession/' Tests
}
