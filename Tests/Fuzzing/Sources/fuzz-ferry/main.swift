import Foundation
import FuzzSupport

let targets = [
    jsonValue, jsonNumber, propertyList, text, xml, netlink, operationArchive, query, multipart, multipartParser,
    requestHead, serializers,
]

exit(FuzzDriver.run(targets))
