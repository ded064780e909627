import Ferry

extension UploadBody {
    /// Returns the form that `-F` describes; regular files are read while they are sent.
    static func form(_ fields: [FormField]) throws(CommandFailure) -> MultipartFormData {
        var form = MultipartFormData()
        for field in fields {
            do {
                try append(field, to: &form)
            } catch let failure as CommandFailure {
                throw failure
            } catch {
                throw CommandFailure(.file, error.localizedDescription)
            }
        }
        return form
    }

    private static func append(_ field: FormField, to form: inout MultipartFormData) throws {
        let data: Data
        var fileName = field.fileName
        switch field.content {
        case .text(let text): data = Data(text.utf8)
        case .textFile(let path): data = try content(path)
        case .file(let path):
            if path != "-", case .file(_, .some) = try file(path) {
                let url = URL(fileURLWithPath: path)
                return try form.append(fileURL: url, name: field.name, fileName: fileName, mimeType: field.type)
            }
            // The length of a form is sent first, so a file of unknown length has to be read now.
            data = try content(path)
            fileName = fileName ?? path.split(separator: "/").last.map(String.init) ?? path
        }
        if let fileName {
            try form.append(data, name: field.name, fileName: fileName, mimeType: field.type)
        } else if let type = field.type {
            try form.append(data, name: field.name, mimeType: type)
        } else {
            form.append(data, name: field.name)
        }
    }
}
