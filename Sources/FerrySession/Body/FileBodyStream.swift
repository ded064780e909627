/// A file as the stream of a `URLRequest`.
///
/// A ``CurlSession`` finds the file in it, and reads it as that of an upload task: without a thread of its own, and
/// again if the body is needed again. Protocol classes read it like any other stream.
package final class FileBodyStream: InputStream {
    let url: URL

    package init?(_ url: URL) {
        self.url = url
        super.init(url: url)
    }
}
