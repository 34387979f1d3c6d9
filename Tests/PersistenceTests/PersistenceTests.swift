// PersistenceTests
