import CofferAgent
import Testing

@Suite("Agent protocol")
struct AgentProtocolTests {
}
