/// Provider tokens, signed with `PassCertificates.providerKey`; times count from the begin of a `ManualClock`.
enum SignedTokens {
    /// Made at the begin of a test.
    static let first =
        "eyJhbGciOiJFUzI1NiIsImtpZCI6IlRFU1RLRVkwMDEifQ"
        + ".eyJpc3MiOiJTUDRURVNUOVowIiwiaWF0IjoxNzY3MzIzMDQ1fQ"
        + ".K5Kv1B8SNC6R6jC8NOllPbMqI3c1yO9aY2B_AHulNRxLTNYBldPcoR-YPX-5PsH7dQOHBaD5fEM6Px9Lz7JlKw"
    /// Made ten minutes later.
    static let afterTenMinutes =
        "eyJhbGciOiJFUzI1NiIsImtpZCI6IlRFU1RLRVkwMDEifQ"
        + ".eyJpc3MiOiJTUDRURVNUOVowIiwiaWF0IjoxNzY3MzIzNjQ1fQ"
        + ".HkDw-YWMAopQQKifqoBF0OlirsfZVMKWkt-1Kcv2hcD0GL4stTjyZMQEqNxZMLEKrU2N_XtKLNVjSs51JZShjA"
    /// Made twenty minutes later.
    static let afterTwentyMinutes =
        "eyJhbGciOiJFUzI1NiIsImtpZCI6IlRFU1RLRVkwMDEifQ"
        + ".eyJpc3MiOiJTUDRURVNUOVowIiwiaWF0IjoxNzY3MzI0MjQ1fQ"
        + ".APOHP04WaN2E7FPN1zCQer-jHAGU_-NTnpCXlPIj9Qu1A13KgfKj0pWEXuPLuKkUuI4SxVOqnAT3ZZ_Z5BNacA"
    /// Made an hour before.
    static let ofOldAge =
        "eyJhbGciOiJFUzI1NiIsImtpZCI6IlRFU1RLRVkwMDEifQ"
        + ".eyJpc3MiOiJTUDRURVNUOVowIiwiaWF0IjoxNzY3MzE5NDQ1fQ"
        + ".Cm7wtBCSs2HoB-atjRUEnoEfbsOGpWntbrGmNsYYQwBTYTKuoj9Igez8lX6eLCycAw79oBbM6pT4sDYDa9uMUw"
    /// Made ten minutes ahead.
    static let ofFuture =
        "eyJhbGciOiJFUzI1NiIsImtpZCI6IlRFU1RLRVkwMDEifQ"
        + ".eyJpc3MiOiJTUDRURVNUOVowIiwiaWF0IjoxNzY3MzIzNjQ1fQ"
        + ".EK_Mg8Lbe36QlYVBLHdKA-yAOvaXXSU_pRVW3eAKHZ2a8-hEmuHmEZ8rkuu-1T4943KC8HFxjG3m854V-6neZQ"
    /// Of a team that the key is not of.
    static let ofOtherTeam =
        "eyJhbGciOiJFUzI1NiIsImtpZCI6IlRFU1RLRVkwMDEifQ"
        + ".eyJpc3MiOiJPVEhFUlRFQU0xIiwiaWF0IjoxNzY3MzIzMDQ1fQ"
        + ".384TgBFcv6tlIDC8ikPy2eR6rL15vnjfT0tBxNOgEVLuta8VFidDItVIG9jhijsoNyrMdUMn_1RfQhfFzrLILQ"
    /// Names a key that the service does not know.
    static let ofOtherKey =
        "eyJhbGciOiJFUzI1NiIsImtpZCI6IlRFU1RLRVkwMDIifQ"
        + ".eyJpc3MiOiJTUDRURVNUOVowIiwiaWF0IjoxNzY3MzIzMDQ1fQ"
        + ".nAYjHZGlj8ydOt2q23Xl2mY4DOf02r8QMIK9GAJ10efzAKav3W2MQgRtrypWpymn_oHPKiOOz-5rUgAe6T5w-Q"
    /// Names another method.
    static let ofOtherMethod =
        "eyJhbGciOiJIUzI1NiIsImtpZCI6IlRFU1RLRVkwMDEifQ"
        + ".eyJpc3MiOiJTUDRURVNUOVowIiwiaWF0IjoxNzY3MzIzMDQ1fQ"
        + ".qAw60rzK9D8AZNySBu0pKrsv4DBUbpNAdX188yWN02WdiGHxRZTZZQ9c1ft4MxNBDR7YTIJ6Tr5KQEnJMH9Fbg"
    /// Its claims are not the ones that were signed.
    static let tampered =
        "eyJhbGciOiJFUzI1NiIsImtpZCI6IlRFU1RLRVkwMDEifQ"
        + ".eyJpc3MiOiJTUDRURVNUOVowIiwiaWF0IjoxNzY3MzIzMDQ2fQ"
        + ".qLeYnQcapc8kuVzA0fD-N6wpNbK9lw9eSTsHx36s5taECtO24N5D4AZ5w24GrktJLMNS2OLkF5rp8zPDEFwMvQ"
}
