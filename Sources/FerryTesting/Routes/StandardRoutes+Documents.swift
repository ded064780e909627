import Foundation

extension StandardRoutes {
    static let json = #"{"name":"Ferry","tags":["a","b"],"size":3,"ratio":0.5,"nested":{"yes":true,"none":null}}"#

    static let documents: [String: Route] = [
        "json": { _ in .json(json) },
        "xml": { _ in
            .data(
                Data(
                    #"<?xml version="1.0" encoding="UTF-8"?><ferry><tag n="1">a</tag><tag n="2">b</tag></ferry>"#.utf8
                ),
                contentType: "application/xml"
            )
        },
        "plist": { _ in .data(Data(plist.utf8), contentType: "application/x-plist") },
        "html": { _ in
            .data(
                Data("<!DOCTYPE html><html><head><title>Ferry</title></head><body><p>Hello</p></body></html>".utf8),
                contentType: "text/html; charset=utf-8"
            )
        },
        "image": { call in
            let width = call.number("width", default: 8)
            let height = call.number("height", default: 8)
            guard (1...4096).contains(width), (1...4096).contains(height) else { return badArgument }
            return .data(PNG.encode(width: width, height: height), contentType: "image/png")
        },
    ]

    private static let plist = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict><key>name</key><string>Ferry</string><key>size</key><integer>3</integer></dict></plist>

        """
}
