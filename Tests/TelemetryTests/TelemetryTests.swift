// TelemetryTests
