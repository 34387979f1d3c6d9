// IntegrationKit
