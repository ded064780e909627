# https://github.com/launchdarkly/swift-eventsource
#
# Its tests with a protocol class are not built on Linux. They are enabled.
prepare() {
    cp -r "$checkout"/{Package.swift,Source,Tests} .
    sed -i 's|^// swift-tools-version:5\.0$|// swift-tools-version:5.5|' Package.swift
    replace 's/^#if !os\(Linux\) && !os\(Windows\)$/#if true/' Tests
}

use_curl() { use_curl_session Source Tests; }
