/// What the program's end tells whoever started it.
enum ExitStatus: Int32 {
    case success = 0
    case failure = 1
    /// The arguments are none that it knows.
    case usage = 2
}
