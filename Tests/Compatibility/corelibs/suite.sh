# URLSession's own tests from https://github.com/swiftlang/swift-corelibs-foundation, tag swift-6.3.1-RELEASE.
#
# Its WebSocket tests are not included: they need a Foundation that is built for testing.
prepare() {
    local from=$checkout/Tests/Foundation to=Tests/TestFoundation file
    mkdir -p "$to"
    for file in TestURLSession TestURLSessionFTP TestURLProtocol TestDataURLProtocol HTTPServer FTPServer Imports; do
        cp "$from/$file.swift" "$to"
    done
    cp -r "$from/Resources" "$to"
    cp "$files/Support.swift" "$to"
    cp "$files/Package.swift" .
    enable_skipped "$to"
}

use_curl() { use_curl_session Tests; }
