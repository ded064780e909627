import Foundation
import FuzzSupport

let targets = [
    responseHead, contentDecoder, authenticateField, contentDisposition, contentRange, httpDate, cookieDate, cookie,
    redirectRule, cacheFile, cacheRules, resumeData, pem, certificate, proxyText, dataURL, wire, challenge, redirect,
    http2, eventStream,
]

exit(FuzzDriver.run(targets))
