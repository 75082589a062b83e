/// The sizes of a canonical list, known before a byte of it is written.
///
/// Every object but the root is referenced exactly once, so they follow from two numbers.
struct ListShape {
    let objectCount: Int
    let referenceWidth: Int
    let tableOffset: Int
    let offsetWidth: Int
    let byteCount: Int

    /// Sums up a list.
    ///
    /// - Parameters:
    ///   - objectCount: 1 or more.
    ///   - payload: the bytes of all objects without their references.
    /// - Throws: `tooManyObjects` or `tooLarge`.
    init(objectCount: Int, payload: Int) throws(PropertyListError) {
        guard objectCount <= PropertyListLimits.objects else { throw PropertyListError(.tooManyObjects) }
        guard payload <= PropertyListLimits.bytes else { throw PropertyListError(.tooLarge) }
        self.objectCount = objectCount
        referenceWidth = leastWidth(for: objectCount - 1)
        tableOffset = 8 + payload + (objectCount - 1) * referenceWidth
        offsetWidth = leastWidth(for: tableOffset)
        byteCount = tableOffset + objectCount * offsetWidth + 32
        guard byteCount <= PropertyListLimits.bytes else { throw PropertyListError(.tooLarge) }
    }
}
