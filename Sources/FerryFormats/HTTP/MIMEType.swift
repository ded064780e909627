/// Content types (RFC 6838) by file name extension.
package enum MIMEType {
    /// The content type of data of an unknown kind.
    package static let octetStream = "application/octet-stream"

    /// Returns the content type for a file name extension, or ``octetStream`` if the extension is unknown.
    ///
    /// - Parameter pathExtension: The extension, in any case, with or without its dot.
    /// - Returns: A type such as `image/png`.
    package static func forExtension(_ pathExtension: String) -> String {
        let key = pathExtension.lowercased()
        return table[key.hasPrefix(".") ? String(key.dropFirst()) : key] ?? octetStream
    }

    /// Content types by extension: those registered with IANA if there are any, else those servers commonly send.
    package static let table: [String: String] = {
        var table: [String: String] = [:]
        for (type, entries) in types {
            for entry in entries.split(separator: ",") {
                let words = entry.split(whereSeparator: \.isWhitespace)
                for pathExtension in words.dropFirst() { table[String(pathExtension)] = "\(type)/\(words[0])" }
            }
        }
        return table
    }()

    /// The subtypes of each type, each followed by its extensions.
    private static let types = [
        "application": """
        atom+xml atom, epub+zip epub, geo+json geojson, gzip gz gzip, java-archive jar war ear, json json map,
        ld+json jsonld, manifest+json webmanifest, msword doc dot, mp4 mp4s,
        octet-stream bin dat dll dmg exe img iso msi o pkg so, ogg ogx, pdf pdf, pgp-encrypted pgp gpg,
        pgp-signature sig, pkcs10 p10, pkcs7-mime p7m p7c, pkcs7-signature p7s, pkcs8 p8, pkix-crl crl,
        postscript ps eps ai, rss+xml rss, rtf rtf, sql sql, toml toml, vnd.amazon.ebook azw,
        vnd.android.package-archive apk, vnd.apple.installer+xml mpkg, vnd.apple.keynote key,
        vnd.apple.mpegurl m3u8, vnd.apple.numbers numbers, vnd.apple.pages pages, vnd.debian.binary-package deb,
        vnd.google-earth.kml+xml kml, vnd.google-earth.kmz kmz, vnd.ms-excel xls xlt,
        vnd.ms-excel.sheet.macroenabled.12 xlsm, vnd.ms-fontobject eot, vnd.ms-outlook msg,
        vnd.ms-powerpoint ppt pps, vnd.oasis.opendocument.graphics odg, vnd.oasis.opendocument.presentation odp,
        vnd.oasis.opendocument.spreadsheet ods, vnd.oasis.opendocument.text odt,
        vnd.openxmlformats-officedocument.presentationml.presentation pptx,
        vnd.openxmlformats-officedocument.presentationml.slideshow ppsx,
        vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx,
        vnd.openxmlformats-officedocument.wordprocessingml.document docx, vnd.rar rar,
        vnd.sqlite3 sqlite sqlite3 db, vnd.visio vsd, wasm wasm, x-7z-compressed 7z, x-apple-diskimage sparseimage,
        x-bittorrent torrent, x-bzip bz, x-bzip2 bz2, x-csh csh, x-freearc arc, x-httpd-php php,
        x-mobipocket-ebook mobi, x-pem-file pem, x-pkcs12 p12 pfx, x-plist plist, x-rpm rpm, x-sh sh,
        x-shockwave-flash swf, x-tar tar, x-tgz tgz, x-x509-ca-cert cer crt der, x-xz xz, xhtml+xml xhtml xht,
        xml xml xsl xsd, xslt+xml xslt, yaml yaml yml, zip zip, zstd zst
        """,
        "audio": """
        aac aac adts, ac3 ac3, aiff aif aiff aifc, amr amr, basic au snd, flac flac, midi mid midi kar,
        mp4 m4a m4b, mpeg mp3 mp2 mpga, ogg oga ogg spx opus, wav wav, webm weba, x-caf caf, x-matroska mka,
        x-mpegurl m3u, x-ms-wma wma
        """,
        "font": "collection ttc, otf otf, ttf ttf, woff woff, woff2 woff2",
        "image": """
        apng apng, avif avif, bmp bmp, gif gif, heic heic, heif heif, jp2 jp2, jpeg jpg jpeg jpe jfif, jxl jxl,
        png png, svg+xml svg svgz, tiff tif tiff, vnd.adobe.photoshop psd, vnd.dwg dwg, vnd.dxf dxf,
        vnd.microsoft.icon ico, webp webp, x-adobe-dng dng, x-canon-cr2 cr2, x-nikon-nef nef,
        x-portable-bitmap pbm, x-portable-graymap pgm, x-portable-pixmap ppm, x-xbitmap xbm
        """,
        "message": "rfc822 eml mht mhtml",
        "model": "gltf+json gltf, gltf-binary glb, obj obj, stl stl, vnd.usdz+zip usdz",
        "text": """
        calendar ics ifb, css css, csv csv, html html htm shtml, javascript js mjs cjs, markdown md markdown,
        plain txt text log conf ini c cc cpp h hpp m swift rs go rb pl java kt, richtext rtx,
        tab-separated-values tsv, vcard vcf vcard, vtt vtt, x-python py, x-diff diff patch
        """,
        "video": """
        3gpp 3gp 3gpp, 3gpp2 3g2, mp2t ts m2ts mts, mp4 mp4 m4v mp4v, mpeg mpg mpeg mpe m1v m2v, ogg ogv,
        quicktime mov qt, webm webm, x-flv flv, x-matroska mkv, x-ms-asf asf, x-ms-wmv wmv, x-msvideo avi
        """,
    ]
}
