extension MIMEType {
    /// Content types by extension: those registered with IANA if there are any, else those servers commonly send.
    static let table: [String: String] = {
        var table: [String: String] = [:]
        for line in lines.split(separator: "\n") {
            let words = line.split(separator: " ")
            for pathExtension in words.dropFirst() {
                table[String(pathExtension)] = words.first.map(String.init)
            }
        }
        return table
    }()

    private static let lines = """
        application/atom+xml atom
        application/epub+zip epub
        application/geo+json geojson
        application/gzip gz gzip
        application/java-archive jar war ear
        application/json json map
        application/ld+json jsonld
        application/manifest+json webmanifest
        application/msword doc dot
        application/mp4 mp4s
        application/octet-stream bin dat dll dmg exe img iso msi o pkg so
        application/ogg ogx
        application/pdf pdf
        application/pgp-encrypted pgp gpg
        application/pgp-signature sig
        application/pkcs10 p10
        application/pkcs7-mime p7m p7c
        application/pkcs7-signature p7s
        application/pkcs8 p8
        application/pkix-crl crl
        application/postscript ps eps ai
        application/rss+xml rss
        application/rtf rtf
        application/sql sql
        application/toml toml
        application/vnd.amazon.ebook azw
        application/vnd.android.package-archive apk
        application/vnd.apple.installer+xml mpkg
        application/vnd.apple.keynote key
        application/vnd.apple.mpegurl m3u8
        application/vnd.apple.numbers numbers
        application/vnd.apple.pages pages
        application/vnd.debian.binary-package deb
        application/vnd.google-earth.kml+xml kml
        application/vnd.google-earth.kmz kmz
        application/vnd.ms-excel xls xlt
        application/vnd.ms-excel.sheet.macroenabled.12 xlsm
        application/vnd.ms-fontobject eot
        application/vnd.ms-outlook msg
        application/vnd.ms-powerpoint ppt pps
        application/vnd.oasis.opendocument.graphics odg
        application/vnd.oasis.opendocument.presentation odp
        application/vnd.oasis.opendocument.spreadsheet ods
        application/vnd.oasis.opendocument.text odt
        application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
        application/vnd.openxmlformats-officedocument.presentationml.slideshow ppsx
        application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
        application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
        application/vnd.rar rar
        application/vnd.sqlite3 sqlite sqlite3 db
        application/vnd.visio vsd
        application/wasm wasm
        application/x-7z-compressed 7z
        application/x-apple-diskimage sparseimage
        application/x-bittorrent torrent
        application/x-bzip bz
        application/x-bzip2 bz2
        application/x-csh csh
        application/x-freearc arc
        application/x-httpd-php php
        application/x-mobipocket-ebook mobi
        application/x-pem-file pem
        application/x-pkcs12 p12 pfx
        application/x-plist plist
        application/x-rpm rpm
        application/x-sh sh
        application/x-shockwave-flash swf
        application/x-tar tar
        application/x-tgz tgz
        application/x-x509-ca-cert cer crt der
        application/x-xz xz
        application/xhtml+xml xhtml xht
        application/xml xml xsl xsd
        application/xslt+xml xslt
        application/yaml yaml yml
        application/zip zip
        application/zstd zst
        audio/aac aac adts
        audio/ac3 ac3
        audio/aiff aif aiff aifc
        audio/amr amr
        audio/basic au snd
        audio/flac flac
        audio/midi mid midi kar
        audio/mp4 m4a m4b
        audio/mpeg mp3 mp2 mpga
        audio/ogg oga ogg spx opus
        audio/wav wav
        audio/webm weba
        audio/x-caf caf
        audio/x-matroska mka
        audio/x-mpegurl m3u
        audio/x-ms-wma wma
        font/collection ttc
        font/otf otf
        font/ttf ttf
        font/woff woff
        font/woff2 woff2
        image/apng apng
        image/avif avif
        image/bmp bmp
        image/gif gif
        image/heic heic
        image/heif heif
        image/jp2 jp2
        image/jpeg jpg jpeg jpe jfif
        image/jxl jxl
        image/png png
        image/svg+xml svg svgz
        image/tiff tif tiff
        image/vnd.adobe.photoshop psd
        image/vnd.dwg dwg
        image/vnd.dxf dxf
        image/vnd.microsoft.icon ico
        image/webp webp
        image/x-adobe-dng dng
        image/x-canon-cr2 cr2
        image/x-nikon-nef nef
        image/x-portable-bitmap pbm
        image/x-portable-graymap pgm
        image/x-portable-pixmap ppm
        image/x-xbitmap xbm
        message/rfc822 eml mht mhtml
        model/gltf+json gltf
        model/gltf-binary glb
        model/obj obj
        model/stl stl
        model/vnd.usdz+zip usdz
        text/calendar ics ifb
        text/css css
        text/csv csv
        text/html html htm shtml
        text/javascript js mjs cjs
        text/markdown md markdown
        text/plain txt text log conf ini c cc cpp h hpp m swift rs go rb pl java kt
        text/richtext rtx
        text/tab-separated-values tsv
        text/vcard vcf vcard
        text/vtt vtt
        text/x-python py
        text/x-diff diff patch
        video/3gpp 3gp 3gpp
        video/3gpp2 3g2
        video/mp2t ts m2ts mts
        video/mp4 mp4 m4v mp4v
        video/mpeg mpg mpeg mpe m1v m2v
        video/ogg ogv
        video/quicktime mov qt
        video/webm webm
        video/x-flv flv
        video/x-matroska mkv
        video/x-ms-asf asf
        video/x-ms-wmv wmv
        video/x-msvideo avi
        """
}
