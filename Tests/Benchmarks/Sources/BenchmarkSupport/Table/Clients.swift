/// The names of clients, each a program and a face of it.
public enum Clients {
    /// libcurl's multi interface in C: what Ferry is built on, and so the bound.
    public static let libcurl = "libcurl:c"

    /// `CurlSession`.
    public static let curlSession = ["ferry:delegate", "ferry:handler", "ferry:async"]

    /// Ferry, through each of its faces.
    public static let ferry = curlSession + ["ferry:manager", "ferry:json", "ferry:operation"]

    /// FoundationNetworking's `URLSession`; its delegate is in AFNetworking's shape.
    public static let urlSession = ["urlsession:delegate", "urlsession:handler", "urlsession:async"]

    /// AsyncHTTPClient with its default of 8 connections, with 64, and with 64 through its futures.
    public static let asyncHTTPClient = ["ahc:default", "ahc:tuned", "ahc:futures"]

    /// Everybody.
    public static let all = [libcurl] + ferry + urlSession + asyncHTTPClient
}
