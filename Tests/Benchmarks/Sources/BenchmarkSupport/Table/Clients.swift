/// The names of clients: each is a program and one of its APIs.
public enum Clients {
    /// libcurl's multi interface in C, on which Ferry is built, and so the lower bound.
    public static let libcurl = "libcurl:c"

    /// `CurlSession`.
    public static let curlSession = ["ferry:delegate", "ferry:handler", "ferry:async"]

    /// Ferry, with each of its APIs.
    public static let ferry = curlSession + ["ferry:manager", "ferry:json", "ferry:operation"]

    /// FoundationNetworking's `URLSession`; its delegate is written like AFNetworking's.
    public static let urlSession = ["urlsession:delegate", "urlsession:handler", "urlsession:async"]

    /// AsyncHTTPClient with its default of 8 connections, with 64, and with 64 and futures.
    public static let asyncHTTPClient = ["ahc:default", "ahc:tuned", "ahc:futures"]

    /// hyper's pooling client, in Rust, with one thread.
    public static let hyper = "hyper:rust"

    /// Clients for WebSockets: Ferry, Python's package `websockets`, and C over a plain socket, the lower bound.
    public static let webSockets = ["websocket:c", "ferry:socket", "websocket:python"]

    /// Ferry with a `RequestBodyWriter`, and only the waiting between its writes.
    public static let writers = ["ferry:writer", "ferry:pace"]

    /// All clients.
    public static let all = [libcurl] + ferry + urlSession + asyncHTTPClient + [hyper] + webSockets + writers
}
