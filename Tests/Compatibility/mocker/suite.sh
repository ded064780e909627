# https://github.com/WeTransfer/Mocker
prepare() {
    cp -r "$checkout"/{Package.swift,Sources,Tests} .
    enable_skipped Tests
}

# FoundationNetworking's list of registered classes cannot be read from outside.
use_curl() {
    use_curl_session Sources Tests
    replace 's/\bURLProtocol\.registerClass\(/CurlSession.registerProtocolClass(/' Sources
}
