package import SecureMemory

// The verbs in their order; the layout of the greeting is the same in every version.
private enum Verb: UInt8 {
    case hello = 1, status, epoch, unlock, lock, value, list, change, details, stop
}

extension AgentRequest {
    /// Writes the request as a frame.
    ///
    /// - Throws: `tooLarge`, `memory`.
    package borrowing func encode() throws(AgentProtocolError) -> GuardedArena {
        let expected =
            switch self {
            case .change(let change): change.values.count
            default: 0
            }
        var writer = try FrameWriter(expected: expected)
        try write(to: &writer)
        return try writer.finish()
    }

    private borrowing func write(to writer: inout FrameWriter) throws(AgentProtocolError) {
        switch self {
        case .hello(let version):
            try writer.byte(Verb.hello.rawValue)
            try writer.number(version)
        case .status: try writer.byte(Verb.status.rawValue)
        case .epoch(let path):
            try writer.byte(Verb.epoch.rawValue)
            try writer.path(path)
        case .unlock(let unlock):
            try writer.byte(Verb.unlock.rawValue)
            try unlock.write(to: &writer)
        case .lock(let path):
            try writer.byte(Verb.lock.rawValue)
            try writer.optional(path) { (writer, path) throws(AgentProtocolError) in try writer.path(path) }
        case .value(let path, let name):
            try writer.byte(Verb.value.rawValue)
            try writer.path(path)
            try writer.name(name)
        case .list(let path, let after):
            try writer.byte(Verb.list.rawValue)
            try writer.path(path)
            try writer.optional(after) { (writer, name) throws(AgentProtocolError) in try writer.name(name) }
        case .change(let change):
            try writer.byte(Verb.change.rawValue)
            try change.write(to: &writer)
        case .details(let path):
            try writer.byte(Verb.details.rawValue)
            try writer.path(path)
        case .stop: try writer.byte(Verb.stop.rawValue)
        }
    }

    /// Reads the body of a frame.
    ///
    /// A greeting of another version is read up to its version: what follows there is not ours to know.
    ///
    /// - Throws: `malformed`, `memory`.
    package static func decode(_ body: RawSpan) throws(AgentProtocolError) -> AgentRequest {
        var reader = FrameReader(body)
        guard let verb = Verb(rawValue: try reader.byte()) else { throw .malformed }
        if verb == .hello {
            let version = try reader.number(UInt32.self)
            if version == AgentProtocol.version { try reader.end() }
            return .hello(version: version)
        }
        let request = try read(verb, &reader)
        try reader.end()
        return request
    }

    private static func read(
        _ verb: Verb, _ reader: inout FrameReader
    ) throws(AgentProtocolError) -> AgentRequest {
        switch verb {
        case .hello: return .hello(version: try reader.number(UInt32.self))
        case .status: return .status
        case .epoch: return .epoch(path: try reader.path())
        case .unlock: return .unlock(try AgentUnlock(&reader))
        case .lock:
            return .lock(path: try reader.optional { (reader) throws(AgentProtocolError) in try reader.path() })
        case .value:
            let path = try reader.path()
            return .value(path: path, name: try reader.name())
        case .list:
            let path = try reader.path()
            return .list(
                path: path, after: try reader.optional { (reader) throws(AgentProtocolError) in try reader.name() })
        case .change: return .change(try AgentChange(&reader))
        case .details: return .details(path: try reader.path())
        case .stop: return .stop
        }
    }
}

extension AgentUnlock {
    func write(to writer: inout FrameWriter) throws(AgentProtocolError) {
        try writer.path(path)
        try writer.number(epoch)
        try writer.bytes(key.bytes)
        for time in [idle, maximumAge] {
            try writer.optional(time) { (writer, time) throws(AgentProtocolError) in try writer.duration(time) }
        }
        try writer.flag(acceptsUnexpected)
    }

    init(_ reader: inout FrameReader) throws(AgentProtocolError) {
        let path = try reader.path()
        let epoch = try reader.number(UInt64.self)
        let key = try reader.guarded()
        guard key.count == AgentProtocol.keyLength else { throw .malformed }
        let idle = try reader.optional { (reader) throws(AgentProtocolError) in try reader.duration() }
        let maximumAge = try reader.optional { (reader) throws(AgentProtocolError) in try reader.duration() }
        let acceptsUnexpected = try reader.flag()
        self.init(
            path: path, epoch: epoch, key: key, idle: idle, maximumAge: maximumAge,
            acceptsUnexpected: acceptsUnexpected)
    }
}
