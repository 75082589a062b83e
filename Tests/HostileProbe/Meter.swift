import Glibc

/// Measures work: its time by the clock and on the processor, and how far the memory of the process grew meanwhile.
///
/// What the thread waited for a processor that others had is no part of its time by the clock.
struct Meter {
    /// What the work cost, of which memory is the most at one time.
    struct Cost {
        var clockNanoseconds: Int64 = 0
        var processorNanoseconds: Int64 = 0
        var residentKiB = 0
        var addressKiB = 0
        /// Of a key, which is not part of the work.
        var derivationNanoseconds: Int64 = 0
    }

    private(set) var cost = Cost()
    private let planted: PlantedFault?
    private static let status = unsafe open("/proc/self/status", O_RDONLY)
    private static let schedule = unsafe open("/proc/thread-self/schedstat", O_RDONLY)
    private static let peaks = unsafe open("/proc/self/clear_refs", O_WRONLY)

    struct NotMeasured: Error {}

    /// Gives back what earlier work has left free, so that no memory is had again without being counted.
    private static let trim: (@convention(c) (Int) -> Int32)? = {
        // Whatever has this size or more is given back at once.
        let option = unsafe dlsym(nil, "mallopt").map {
            unsafe unsafeBitCast($0, to: (@convention(c) (Int32, Int32) -> Int32).self)
        }
        let (mapThreshold, size) = (Int32(-3), Int32(128 << 10))
        guard option?(mapThreshold, size) == 1 else { return nil }
        return unsafe dlsym(nil, "malloc_trim").map {
            unsafe unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
        }
    }()

    init(planted: PlantedFault?) throws {
        guard Self.status >= 0, Self.peaks >= 0, Self.trim != nil else { throw NotMeasured() }
        self.planted = planted
    }

    /// Does the work; a second measured one counts with the first.
    mutating func measure<Result>(_ work: () -> Result) throws -> Result {
        _ = Self.trim?(0)
        // The greatest size begins anew with this number.
        guard unsafe pwrite(Self.peaks, "5", 1, 0) == 1 else { throw NotMeasured() }
        let before = try Self.memory()
        let queued = Self.queuedNanoseconds()
        let (clock, processor) = (Self.now(CLOCK_MONOTONIC), Self.now(CLOCK_PROCESS_CPUTIME_ID))
        planted?.act()
        let result = work()
        cost.processorNanoseconds += Self.now(CLOCK_PROCESS_CPUTIME_ID) - processor
        let elapsed = Self.now(CLOCK_MONOTONIC) - clock
        cost.clockNanoseconds += max(elapsed - (Self.queuedNanoseconds() - queued), 0)
        let after = try Self.memory()
        cost.residentKiB = max(cost.residentKiB, after.resident - before.resident)
        cost.addressKiB = max(cost.addressKiB, after.address - before.address)
        return result
    }

    /// Does what is counted apart.
    mutating func measureDerivation<Result>(_ work: () -> Result) -> Result {
        let start = Self.now(CLOCK_MONOTONIC)
        let result = work()
        cost.derivationNanoseconds += Self.now(CLOCK_MONOTONIC) - start
        return result
    }

    private static func now(_ clock: Int32) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// How long this thread has waited for a processor; 0 where the kernel does not tell.
    private static func queuedNanoseconds() -> Int64 {
        var text = [UInt8](repeating: 0, count: 128)
        let count = unsafe pread(schedule, &text, text.count, 0)
        let numbers = text.prefix(max(count, 0)).split(separator: UInt8(ascii: " "))
        return numbers.count < 2 ? 0 : Int64(String(decoding: numbers[1], as: UTF8.self)) ?? 0
    }

    /// The greatest sizes of the process by now, in KiB.
    private static func memory() throws -> (resident: Int, address: Int) {
        var text = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe pread(status, &text, text.count, 0)
        let lines = text.prefix(max(count, 0)).split(separator: UInt8(ascii: "\n"))
        guard let resident = number("VmHWM:", in: lines), let address = number("VmPeak:", in: lines) else {
            throw NotMeasured()
        }
        return (resident, address)
    }

    private static func number(_ name: String, in lines: [ArraySlice<UInt8>]) -> Int? {
        lines.first { $0.starts(with: name.utf8) }
            .flatMap { Int(String(decoding: $0.filter { (0x30...0x39).contains($0) }, as: UTF8.self)) }
    }
}
