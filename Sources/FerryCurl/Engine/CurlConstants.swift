/// The numbers of libcurl's options, which its ABI fixes.
package enum CurlOption {
    package static let url: Int32 = 10_002
    package static let proxy: Int32 = 10_004
    static let errorBuffer: Int32 = 10_010
    package static let httpHeader: Int32 = 10_023
    static let customRequest: Int32 = 10_036
    static let certificateType: Int32 = 10_086
    static let cipherList: Int32 = 10_083
    static let keyType: Int32 = 10_088
    static let caInfo: Int32 = 10_065
    static let caPath: Int32 = 10_097
    static let keyPassphrase: Int32 = 10_026
    static let pinnedPublicKey: Int32 = 10_230
    static let requestTarget: Int32 = 10_266
    static let tls13Ciphers: Int32 = 10_276
    static let certificateBlob: Int32 = 40_291
    static let keyBlob: Int32 = 40_292
    static let caInfoBlob: Int32 = 40_309
    static let sslVersion: Int32 = 32
    static let verifyPeer: Int32 = 64
    static let freshConnect: Int32 = 74
    static let forbidReuse: Int32 = 75
    static let verifyHost: Int32 = 81
    static let lookupLifetime: Int32 = 92
    static let sessionCache: Int32 = 150
    package static let revocationLists: Int32 = 10_169
    static let verifyStatus: Int32 = 232
    static let certificateInfo: Int32 = 172
    static let noProxy: Int32 = 10_177
    package static let protocols: Int32 = 181
    static let noBody: Int32 = 44
    static let noProgress: Int32 = 43
    package static let upload: Int32 = 46
    static let httpGet: Int32 = 80
    static let httpProxyTunnel: Int32 = 61
    package static let httpVersion: Int32 = 84
    static let bufferSize: Int32 = 98
    static let noSignal: Int32 = 99
    static let connectTimeoutMilliseconds: Int32 = 156
    static let contentDecoding: Int32 = 158
    static let tcpKeepAlive: Int32 = 213
    static let pathAsIs: Int32 = 234
    static let pipeWait: Int32 = 237
    static let uploadBufferSize: Int32 = 280
    static let httpAuthentication: Int32 = 107
    static let rtspRequest: Int32 = 189
    static let userName: Int32 = 10_173
    package static let password: Int32 = 10_174
    static let proxyAuthentication: Int32 = 111
    static let proxyUserName: Int32 = 10_175
    static let proxyPassword: Int32 = 10_176
    package static let bodySize: Int32 = 30_115
    static let maximumReceiveRate: Int32 = 30_146
    package static let proxyHeader: Int32 = 10_228
    static let proxyCAInfo: Int32 = 10_246
    static let proxyCAPath: Int32 = 10_247
    static let proxyCAInfoBlob: Int32 = 40_310
    static let proxyRevocationLists: Int32 = 10_260
    static let proxySSLVersion: Int32 = 250
    static let proxyCipherList: Int32 = 10_259
    static let proxyTLS13Ciphers: Int32 = 10_277
    static let unixSocketPath: Int32 = 10_231
    static let abstractUnixSocket: Int32 = 10_264
    package static let resolve: Int32 = 10_203
    static let resolverURL: Int32 = 10_279
    static let resolverVerifyPeer: Int32 = 306
    static let resolverVerifyHost: Int32 = 307
    static let resolverVerifyStatus: Int32 = 308
    package static let interface: Int32 = 10_062
    static let ipResolve: Int32 = 113
    package static let happyEyeballsTimeout: Int32 = 271
}

package enum CurlMultiOption {
    static let pipelining: Int32 = 3
    static let maximumConnections: Int32 = 6
}

package enum CurlInfo {
    package static let httpVersion: Int32 = 0x20_0000 + 46
    static let sslVerifyResult: Int32 = 0x20_0000 + 13
    static let proxySSLVerifyResult: Int32 = 0x20_0000 + 47
    static let headerSize: Int32 = 0x20_0000 + 11
    static let requestSize: Int32 = 0x20_0000 + 12
    static let newConnections: Int32 = 0x20_0000 + 26
    static let primaryPort: Int32 = 0x20_0000 + 40
    static let primaryAddress: Int32 = 0x10_0000 + 32
    package static let sizeUpload: Int32 = 0x60_0000 + 7
    package static let sizeDownload: Int32 = 0x60_0000 + 8
    static let totalTime: Int32 = 0x60_0000 + 50
    static let nameLookupTime: Int32 = 0x60_0000 + 51
    static let connectTime: Int32 = 0x60_0000 + 52
    static let preTransferTime: Int32 = 0x60_0000 + 53
    static let startTransferTime: Int32 = 0x60_0000 + 54
    static let secureConnectTime: Int32 = 0x60_0000 + 56
}

/// The values of `CURLcode` that Ferry distinguishes.
package enum CurlCode {
    static let unsupportedProtocol: Int32 = 1
    static let malformedURL: Int32 = 3
    static let notBuiltIn: Int32 = 4
    static let couldNotResolveProxy: Int32 = 5
    static let couldNotResolveHost: Int32 = 6
    static let couldNotConnect: Int32 = 7
    static let weirdServerReply: Int32 = 8
    package static let http2: Int32 = 16
    package static let partialFile: Int32 = 18
    static let writeError: Int32 = 23
    static let uploadFailed: Int32 = 25
    static let outOfMemory: Int32 = 27
    package static let timedOut: Int32 = 28
    package static let tlsConnectError: Int32 = 35
    static let abortedByCallback: Int32 = 42
    static let badFunctionArgument: Int32 = 43
    static let interfaceFailed: Int32 = 45
    static let tooManyRedirects: Int32 = 47
    static let gotNothing: Int32 = 52
    static let tlsEngineNotFound: Int32 = 53
    static let tlsEngineSetFailed: Int32 = 54
    package static let sendError: Int32 = 55
    package static let receiveError: Int32 = 56
    static let tlsCertificateProblem: Int32 = 58
    static let tlsCipher: Int32 = 59
    static let peerFailedVerification: Int32 = 60
    static let badContentEncoding: Int32 = 61
    static let fileSizeExceeded: Int32 = 63
    package static let cannotRewind: Int32 = 65
    static let tlsEngineInitFailed: Int32 = 66
    static let badAuthorityFile: Int32 = 77
    static let tlsShutdownFailed: Int32 = 80
    static let badRevocationList: Int32 = 82
    static let issuerError: Int32 = 83
    package static let pinMismatch: Int32 = 90
    static let invalidCertificateStatus: Int32 = 91
    package static let http2Stream: Int32 = 92
    static let http3: Int32 = 95
    static let quicConnectError: Int32 = 96
    static let proxyFailed: Int32 = 97
    static let clientCertificateMissing: Int32 = 98
    package static let tooLarge: Int32 = 100

    /// The codes of a tunnel that was not opened: the connection ended, or one of Ferry's callbacks ended the attempt.
    static let endsOfTunnels: Set<Int32> = [
        unsupportedProtocol, couldNotConnect, weirdServerReply, http2, gotNothing, sendError, receiveError, http2Stream,
        writeError, abortedByCallback,
    ]
}

package enum CurlPause {
    package static let none: Int32 = 0
    package static let receive: Int32 = 1
    package static let send: Int32 = 4
}

/// The values that callbacks return instead of a count.
package enum CurlAnswer {
    static let writePause = 0x1000_0001
    static let readPause = 0x1000_0001
    static let readAbort = 0x1000_0000
    static let seekDone: Int32 = 0
    static let seekCannot: Int32 = 2
}
