# https://github.com/supabase/supabase-swift
#
# Without the tests of its WebSockets, those that need a running Supabase, and OpenTelemetry.
prepare() {
    cp -r "$checkout"/{Package.swift,Sources,Tests} .
    perl -0pi -e '
        s/\.testTarget\(\s*name: "(Integration|Realtime)Tests".*?\n    \),\n//gs;
        s/\.product\(\s*name: "OpenTelemetry\w+".*?\]\)\s*\),\n//gs;
        s/\.package\(url: "[^"]*\/(opentelemetry|swift-secp256k1|CryptoSwift)[^\n]*\n//g' Package.swift
    rm -r Tests/{Integration,Realtime}Tests
}

# A session that is not specified is the shared one. Sessions of the tests have the type that Supabase's own variables
# have, URLSession, so that its async functions are called as in a program that passes a CurlSession to Supabase.
use_curl() {
    use_curl_session Sources Tests
    replace 's/(session: URLSession) = \.shared/\1 = CurlSession.shared/' Sources
    replace 's/(let [a-zA-Z]*[sS]ession) = (CurlSession\()/\1: URLSession = \2/' Tests
}
