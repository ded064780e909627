import Foundation
import FuzzSupport

let targets = [
    jsonValue, jsonNumber, propertyList, text, xml, netlink, operationArchive, query, multipart, multipartParser,
    requestHead, serializers, link, har,
]

exit(FuzzDriver.run(targets))
