/// The limits on decoding the content codings of a response (RFC 9110, section 8.4), for data, streams and downloads.
///
/// A few bytes of a response can unpack to gigabytes. A response that exceeds the limits fails with
/// `cannotDecodeContentData` and the reason ``CurlSessionError/Code/responseTooLarge``.
public struct ContentDecodingLimits: Sendable, Hashable {
    /// The maximum number of codings of one response, one inside the other; 5 by default.
    public var maximumCodings = 5
    /// The maximum size of the decoded response, in bytes; 16 GiB by default.
    public var maximumSize: Int64 = 17_179_869_184

    /// The maximum ratio of decoded bytes to received bytes, which applies beyond ``sizeWithoutRatio``.
    ///
    /// The default is 1,100, which is more than gzip ever reaches.
    public var maximumRatio: Int64 = 1100

    /// The number of decoded bytes that are accepted whatever their ratio; 64 MiB by default.
    public var sizeWithoutRatio: Int64 = 67_108_864

    /// Creates the default limits, which a closure may change.
    public init(configure: (inout Self) -> Void = { _ in }) { configure(&self) }

    /// Returns how many bytes each coding may produce, given the number of received bytes.
    package func largest(received: ByteCount) -> ByteCount {
        let (product, overflow) = received.int64.multipliedReportingOverflow(by: max(1, maximumRatio))
        let byRatio = max(sizeWithoutRatio, overflow ? .max : product)
        return ByteCount(min(maximumSize, byRatio)) ?? .zero
    }
}
