import Foundation

extension RequestOptions {
    /// Sets the request's properties for which these options have a value.
    func apply(to request: inout URLRequest) {
        if let timeoutInterval {
            request.timeoutInterval = timeoutInterval
        }
        if let cachePolicy {
            request.cachePolicy = cachePolicy
        }
        if let allowsCellularAccess {
            request.allowsCellularAccess = allowsCellularAccess
        }
        if let httpShouldHandleCookies {
            request.httpShouldHandleCookies = httpShouldHandleCookies
        }
        if let httpShouldUsePipelining {
            Self.setPipelining(httpShouldUsePipelining, of: &request)
        }
        if let networkServiceType {
            request.networkServiceType = networkServiceType
        }
    }

    /// Returns the parameters as a query or form body.
    func query(_ parameters: Parameters, for request: URLRequest, in encoding: String.Encoding) throws -> String {
        if let querySerializer {
            return try querySerializer(request, parameters)
        }
        do {
            return try queryEncoding.encode(parameters, using: encoding)
        } catch let error as RequestSerializationError {
            throw error.failing(request.url)
        }
    }

    /// Returns whether the request's parameters go into its URL.
    func encodesParametersInURI(_ request: URLRequest) -> Bool {
        methodsEncodingParametersInURI.contains(HTTPMethod(request.httpMethod?.uppercased() ?? "GET"))
    }

    private static func setPipelining(_ value: Bool, of request: inout some Pipelining) {
        request.httpShouldUsePipelining = value
    }
}

/// Allows setting a property that Foundation has deprecated and that AFNetworking's users may still set.
private protocol Pipelining {
    var httpShouldUsePipelining: Bool { get set }
}

extension URLRequest: Pipelining {}
