import Foundation

/// All options are encoded except ``querySerializer``, a closure. Options missing from an archive get their defaults.
extension RequestOptions: Codable {
    private enum Key: CodingKey {
        case headers, timeoutInterval, cachePolicy, allowsCellularAccess, httpShouldHandleCookies
        case httpShouldUsePipelining, networkServiceType, queryEncoding, stringEncoding, methodsEncodingParametersInURI
    }

    /// Decodes the options, without a ``querySerializer``.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: Key.self)
        headers = try container.decodeIfPresent(HTTPHeaders.self, forKey: .headers) ?? headers
        timeoutInterval = try container.decodeIfPresent(TimeInterval.self, forKey: .timeoutInterval)
        cachePolicy = try container.decodeRawIfPresent(URLRequest.CachePolicy.self, forKey: .cachePolicy)
        allowsCellularAccess = try container.decodeIfPresent(Bool.self, forKey: .allowsCellularAccess)
        httpShouldHandleCookies = try container.decodeIfPresent(Bool.self, forKey: .httpShouldHandleCookies)
        httpShouldUsePipelining = try container.decodeIfPresent(Bool.self, forKey: .httpShouldUsePipelining)
        networkServiceType =
            try container.decodeRawIfPresent(URLRequest.NetworkServiceType.self, forKey: .networkServiceType)
        queryEncoding = try container.decodeIfPresent(QueryEncoding.self, forKey: .queryEncoding) ?? queryEncoding
        stringEncoding =
            try container.decodeRawIfPresent(String.Encoding.self, forKey: .stringEncoding) ?? stringEncoding
        methodsEncodingParametersInURI =
            try container.decodeIfPresent(Set<HTTPMethod>.self, forKey: .methodsEncodingParametersInURI)
            ?? methodsEncodingParametersInURI
    }

    /// Encodes all options except the ``querySerializer``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(headers, forKey: .headers)
        try container.encodeIfPresent(timeoutInterval, forKey: .timeoutInterval)
        try container.encodeRawIfPresent(cachePolicy, forKey: .cachePolicy)
        try container.encodeIfPresent(allowsCellularAccess, forKey: .allowsCellularAccess)
        try container.encodeIfPresent(httpShouldHandleCookies, forKey: .httpShouldHandleCookies)
        try container.encodeIfPresent(httpShouldUsePipelining, forKey: .httpShouldUsePipelining)
        try container.encodeRawIfPresent(networkServiceType, forKey: .networkServiceType)
        try container.encode(queryEncoding, forKey: .queryEncoding)
        try container.encodeRawIfPresent(stringEncoding, forKey: .stringEncoding)
        let methods = methodsEncodingParametersInURI.sorted { $0.rawValue < $1.rawValue }
        try container.encode(methods, forKey: .methodsEncodingParametersInURI)
    }
}
