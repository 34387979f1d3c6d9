// EventIO
