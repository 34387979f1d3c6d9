// CommerceTests
