// SessionBrokerTests
