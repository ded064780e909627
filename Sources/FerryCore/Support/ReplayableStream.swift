/// A stream whose body may be read again, with another stream.
package protocol ReplayableStream: InputStream {
    /// A new stream of the same body, or `nil` if the body can be read only once.
    var anotherStream: InputStream? { get }
}

extension InputStream {
    /// A new stream of the same body: of one that can be made again, or of a stream that conforms to `NSCopying`.
    package var replayed: InputStream? {
        if let stream = self as? any ReplayableStream { return stream.anotherStream }
        return (self as? any NSCopying)?.copy(with: nil) as? InputStream
    }
}
