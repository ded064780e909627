/// A file as the stream of a `URLRequest`.
///
/// A ``CurlSession`` reads the file like the file of an upload task: without a thread for it, and from the start each
/// time that the body is sent. Protocol classes read the stream like any other.
package final class FileBodyStream: InputStream {
    let url: URL

    package init?(_ url: URL) {
        self.url = url
        super.init(url: url)
    }
}
