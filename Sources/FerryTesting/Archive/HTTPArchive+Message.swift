extension HTTPArchive {
    /// A request.
    public struct Request: Sendable, Hashable {
        /// The method.
        public var method: String
        /// The absolute URL.
        public var url: String
        /// The protocol, such as `HTTP/1.1`.
        public var httpVersion = "HTTP/1.1"
        /// The cookies.
        public var cookies: [Cookie] = []
        /// The header fields.
        public var headers: [Field]
        /// The decoded items of the URL's query.
        public var queryString: [Field] = []
        /// The body; nil for none.
        public var postData: PostData?
        /// The number of bytes of the head; -1 if it is unknown.
        public var headersSize = -1
        /// The number of bytes of the body as sent; -1 if it is unknown.
        public var bodySize = -1

        /// Creates a request.
        public init(method: String = "GET", url: String, headers: [Field] = [], postData: PostData? = nil) {
            self.method = method
            self.url = url
            self.headers = headers
            self.postData = postData
        }
    }

    /// A response.
    public struct Response: Sendable, Hashable {
        /// The status code; 0 if there was no response.
        public var status: Int
        /// The reason phrase.
        public var statusText: String
        /// The protocol, such as `HTTP/1.1`.
        public var httpVersion = "HTTP/1.1"
        /// The cookies.
        public var cookies: [Cookie] = []
        /// The header fields.
        public var headers: [Field]
        /// The body.
        public var content: Content
        /// The value of `Location`, or an empty text.
        public var redirectURL = ""
        /// The number of bytes of the head; -1 if it is unknown.
        public var headersSize = -1
        /// The number of bytes of the body as received; -1 if it is unknown.
        public var bodySize = -1

        /// Creates a response.
        public init(status: Int, statusText: String = "", headers: [Field] = [], content: Content = Content()) {
            self.status = status
            self.statusText = statusText
            self.headers = headers
            self.content = content
        }
    }

    /// A header field, or an item of a query or form.
    public struct Field: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String

        /// Creates a field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A cookie.
    public struct Cookie: Sendable, Hashable, Codable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String
        /// The path.
        public var path: String?
        /// The domain.
        public var domain: String?
        /// The date and time of expiration, as written.
        public var expires: String?
        /// Whether scripts have no access to the cookie.
        public var httpOnly: Bool?
        /// Whether the cookie is sent by TLS only.
        public var secure: Bool?
    }
}

extension HTTPArchive.Request: Codable {
    /// Reads a request.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        method = try values.decode(String.self, forKey: .method)
        url = try values.decode(String.self, forKey: .url)
        httpVersion = values.text(.httpVersion) ?? ""
        cookies = values.list(.cookies)
        headers = try values.decodeIfPresent([HTTPArchive.Field].self, forKey: .headers) ?? []
        queryString = values.list(.queryString)
        postData = try values.decodeIfPresent(HTTPArchive.PostData.self, forKey: .postData)
        headersSize = values.count(.headersSize) ?? -1
        bodySize = values.count(.bodySize) ?? -1
    }
}

extension HTTPArchive.Response: Codable {
    /// Reads a response.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        status = try values.decode(Int.self, forKey: .status)
        statusText = values.text(.statusText) ?? ""
        httpVersion = values.text(.httpVersion) ?? ""
        cookies = values.list(.cookies)
        headers = try values.decodeIfPresent([HTTPArchive.Field].self, forKey: .headers) ?? []
        content = try values.decodeIfPresent(HTTPArchive.Content.self, forKey: .content) ?? HTTPArchive.Content()
        redirectURL = values.text(.redirectURL) ?? ""
        headersSize = values.count(.headersSize) ?? -1
        bodySize = values.count(.bodySize) ?? -1
    }
}

extension HTTPArchive.Field: Codable {
    /// Reads a field; without a value it is empty.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decode(String.self, forKey: .name)
        value = values.text(.value) ?? ""
    }
}
