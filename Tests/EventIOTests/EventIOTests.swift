// EventIOTests
