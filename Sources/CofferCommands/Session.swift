/// One run of the program: what was asked for, and where it speaks.
package struct Session: Sendable {
    let arguments: Arguments
    let console: Console
    let table: CommandTable
}
