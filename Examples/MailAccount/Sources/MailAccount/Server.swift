import Coffer

/// Stands in for the code that talks to a server. It gets password and token as bytes that it cannot keep.
struct Server {
    struct Refused: Error {}

    func signIn(_ username: String, _ password: RawSpan) throws -> Secret {
        guard password.byteCount > 0 else { throw Refused() }
        return try Secret.random(count: 32)
    }

    func messageCount(_ token: RawSpan) throws -> Int {
        guard token.byteCount == 32 else { throw Refused() }
        return 3
    }
}
