# https://github.com/netreconlab/Parse-Swift
#
# Most of its tests are not built on Linux. Those that do not need Apple's systems are enabled, with a session whose
# configuration has their protocol class: they register it after the shared session was created, which has no effect in
# FoundationNetworking.
prepare() {
    cp -r "$checkout"/{Package.swift,Sources,Tests} .
    # It dates from when tests were not found without it.
    rm -f Tests/LinuxMain.swift
    find Tests -name '*.swift' -print0 | xargs -0 perl -0pi -e '
        s{^#if !os\(Linux\)[^\n]*\n(?=import Foundation\n)}{#if true\n}gm unless /Combine\n|kSecClass|ObjC|KeychainAccessGroup|ParseLiveQuery/;
        s{^([ \t]*)#if !os\(Linux\)[^\n]*\n(.*?^[ \t]*#endif)}{
            my ($indent, $body, $all) = ($1, $2, $&);
            my $apple = $body =~ /Keychain|ObjC|Combine|#if|URLAuthenticationChallenge|URLSession\.parse|ptr:/;
            $apple ? $all : "$indent#if true\n$body"
        }gems'
    replace 's/URLProtocol\.registerClass\(MockURLProtocol\.self\)/URLSession.parse = URLSession(configuration: .mocked)/' Tests
    cat >>Tests/ParseSwiftTests/NetworkMocking/MockURLProtocol.swift <<-END

	@testable import ParseSwift

	extension URLSessionConfiguration {
	    static var mocked: URLSessionConfiguration {
	        let configuration = URLSessionConfiguration.default
	        configuration.protocolClasses = [MockURLProtocol.self]
	        return configuration
	    }
	}
	END
}

use_curl() { use_curl_session Sources Tests; }
