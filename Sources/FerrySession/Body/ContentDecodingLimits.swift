/// How far the content codings of a response may unpack (RFC 9110, section 8.4), for data, streams and downloads alike.
///
/// A few bytes of a response can unpack to gigabytes. A response beyond the limits fails with `cannotDecodeContentData`
/// and the reason ``CurlSessionError/Code/responseTooLarge``.
public struct ContentDecodingLimits: Sendable, Hashable {
    /// The number of codings that one response may have, one inside the other; by default 5.
    public var maximumCodings = 5

    /// The number of bytes that a response may unpack to; by default 16 GiB.
    public var maximumSize: Int64 = 17_179_869_184

    /// How many times larger than the received bytes the unpacked ones may be, beyond ``sizeWithoutRatio``; by default
    /// 1,100, which is more than gzip ever reaches.
    public var maximumRatio: Int64 = 1100

    /// The number of unpacked bytes that are accepted whatever their ratio; by default 64 MiB.
    public var sizeWithoutRatio: Int64 = 67_108_864

    /// The default limits.
    public init() {}

    /// Returns how many bytes any of the codings may produce of so many received ones.
    func largest(received: ByteCount) -> ByteCount {
        let (product, overflow) = received.int64.multipliedReportingOverflow(by: max(1, maximumRatio))
        let byRatio = max(sizeWithoutRatio, overflow ? .max : product)
        return ByteCount(min(maximumSize, byRatio)) ?? .zero
    }
}
