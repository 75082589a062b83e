internal import Glibc

/// One area of the program that reads what a stranger wrote.
private enum Area: String, CaseIterable {
    case header, canonical, merge, lenient, json, text, passphrase, options, contents, freshness, frame
    // Of which something is always found.
    case plantedLie = "planted-lie"
    case plantedOverrun = "planted-overrun"
    case plantedHang = "planted-hang"
    case plantedAllocation = "planted-allocation"

    /// The area that `--area=NAME` names; libFuzzer passes over options with two hyphens.
    static let chosen: Area = {
        let option = "--area="
        let name = CommandLine.arguments.last { $0.hasPrefix(option) }?.dropFirst(option.count)
        guard let area = Area(rawValue: String(name ?? "")) else {
            note("usage: Fuzz \(option)\(allCases.map(\.rawValue).joined(separator: "|"))")
            exit(2)
        }
        return area
    }()

    func run(_ input: RawSpan) {
        switch self {
        case .header: HeaderArea.run(input)
        case .canonical: CanonicalArea.run(input)
        case .merge: MergeArea.run(input)
        case .lenient: LenientArea.run(input)
        case .json: JSONArea.run(input)
        case .text: TextArea.run(input)
        case .passphrase: PassphraseArea.run(input)
        case .options: OptionsArea.run(input)
        case .contents: ContentsArea.run(input)
        case .freshness: FreshnessArea.run(input)
        case .frame: FrameArea.run(input)
        case .plantedLie: PlantedArea.lie(input)
        case .plantedOverrun: PlantedArea.overrun(input)
        case .plantedHang: PlantedArea.hang(input)
        case .plantedAllocation: PlantedArea.allocation(input)
        }
    }
}

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start = unsafe start else { return 0 }
    Area.chosen.run(unsafe RawSpan(_unsafeStart: start, byteCount: count))
    return 0
}

/// Ends the process with a finding unless a promise of the code under test holds.
func promise(_ isKept: Bool, _ text: @autoclosure () -> String) {
    guard !isKept else { return }
    note("broken promise: \(text())")
    abort()
}

private func note(_ line: String) {
    _ = unsafe Array("\(line)\n".utf8).withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
