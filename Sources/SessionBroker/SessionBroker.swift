// SessionBroker
