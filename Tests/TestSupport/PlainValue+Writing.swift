import PropertyLists
import SecureMemory

extension PlainValue {
    /// The canonical list of the value.
    package func list(maximumDepth: Int = 34) throws -> [UInt8] {
        var builder = try PropertyListBuilder()
        try add(to: &builder)
        let list = try builder.finish(maximumDepth: maximumDepth)
        return list.bytes.array
    }

    private func add(to builder: inout PropertyListBuilder) throws {
        switch self {
        case .boolean(let value): try builder.boolean(value)
        case .integer(let value): try builder.integer(value)
        case .real(let bits): try builder.real(Double(bitPattern: bits))
        case .date(let bits): try builder.date(Double(bitPattern: bits))
        case .data(let bytes): try builder.data(bytes.rawSpan)
        case .string(let text):
            let utf8 = Array(text.utf8)
            try builder.string(utf8: utf8.rawSpan)
        case .array(let elements):
            try builder.beginArray()
            for element in elements { try element.add(to: &builder) }
            try builder.endArray()
        case .dictionary(let entries):
            try builder.beginDictionary()
            for (key, value) in entries {
                try builder.key(utf8: key.rawSpan)
                try value.add(to: &builder)
            }
            try builder.endDictionary()
        }
    }
}
