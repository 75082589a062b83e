// A program for the tests to look into from outside. It answers each step with one line on standard output and then
// waits for a line on standard input. What it is told to hold never comes by an argument.

internal import Coffer
internal import Glibc

switch CommandLine.arguments.dropFirst().first {
case "control": holdInOrdinaryMemory()
case "idle":
    Lines.write("ready")
    Lines.wait()
default:
    Lines.write("usage: ResidueProbe control | idle")
    exit(2)
}

/// Holds what comes on standard input where every scan must find it.
func holdInOrdinaryMemory() {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
    let count = unsafe read(0, bytes.baseAddress, bytes.count)
    Lines.write(count > 0 ? "holding" : "nothing came")
    Lines.wait()
    unsafe bytes.deallocate()
}
