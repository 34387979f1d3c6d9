/// Throwaway certificates, valid for a hundred years, for `localhost` and `127.0.0.1`; the keys protect nothing.
enum TestCertificates {
    /// The authority that issued all of them.
    static let authority = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIBrDCCAVOgAwIBAgIUG1f/m2wg+uPRqLzBGgcx8nmlU+0wCgYIKoZIzj0EAwIw
        IzEhMB8GA1UEAwwYU2FsbHlwb3J0IFRlc3QgQXV0aG9yaXR5MCAXDTI2MTEyMTA2
        NDQ0NVoYDzIxMjYxMDI4MDY0NDQ1WjAjMSEwHwYDVQQDDBhTYWxseXBvcnQgVGVz
        dCBBdXRob3JpdHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASEsoTRNPIWWJ/B
        mzsPohOVK/+Uf03aRKKVZAKosgAJIovjwEMar3vU3rM+BpQJ1EFGcco/bBJ9wc82
        euBw5nAYo2MwYTAdBgNVHQ4EFgQUGk2jEM7SUjAFnRlC7zodlojRaRcwHwYDVR0j
        BBgwFoAUGk2jEM7SUjAFnRlC7zodlojRaRcwDwYDVR0TAQH/BAUwAwEB/zAOBgNV
        HQ8BAf8EBAMCAgQwCgYIKoZIzj0EAwIDRwAwRAIgM5ET4ECRk6aZCmKfIEd45Jvd
        Xb6icI1i00S8WFG7kisCIBg7riKKyHjrqt8A3zIKhz2rLSSkRTaDalq6RCSzw65N
        -----END CERTIFICATE-----
        """.utf8
    )

    /// P-256, also for `first.localhost`.
    static let first = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIB2DCCAX6gAwIBAgIUe8QzHFjMZQEUzhABGIOdIppJPocwCgYIKoZIzj0EAwIw
        IzEhMB8GA1UEAwwYU2FsbHlwb3J0IFRlc3QgQXV0aG9yaXR5MCAXDTI2MTEyMTA2
        NDQ0NVoYDzIxMjYxMDI4MDY0NDQ1WjAQMQ4wDAYDVQQDDAVmaXJzdDBZMBMGByqG
        SM49AgEGCCqGSM49AwEHA0IABKVDx4Fdzy2cgSfuXXSfdbHlqyMLot+fuvjX83Me
        lv4FYPlcabBglVuD2VtMnddpWvoSInuEDH2Lsumnxy6M1QejgaAwgZ0wDAYDVR0T
        AQH/BAIwADArBgNVHREEJDAigglsb2NhbGhvc3SCD2ZpcnN0LmxvY2FsaG9zdIcE
        fwAAATALBgNVHQ8EBAMCB4AwEwYDVR0lBAwwCgYIKwYBBQUHAwEwHQYDVR0OBBYE
        FIPWc6gz+TgysB2dlDkCBV9ELHtEMB8GA1UdIwQYMBaAFBpNoxDO0lIwBZ0ZQu86
        HZaI0WkXMAoGCCqGSM49BAMCA0gAMEUCIHBfPovx1DT68oUG3I8EJnGNYJMNqHP+
        e0yLRsR66urtAiEAivMwhw9gH5aCboVRmNHKJq0h6ESnOmzscBIokBg9Y20=
        -----END CERTIFICATE-----
        """.utf8
    )

    /// The key of `first`.
    static let firstKey = Array(
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcG2Xeh9dh2PFmJGq
        Co89cIkT4QxsJlePN59NCTvWtxehRANCAASlQ8eBXc8tnIEn7l10n3Wx5asjC6Lf
        n7r41/NzHpb+BWD5XGmwYJVbg9lbTJ3XaVr6EiJ7hAx9i7Lpp8cujNUH
        -----END PRIVATE KEY-----
        """.utf8
    )

    /// P-256, also for `second.localhost`.
    static let second = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIB2jCCAYCgAwIBAgIUe8QzHFjMZQEUzhABGIOdIppJPogwCgYIKoZIzj0EAwIw
        IzEhMB8GA1UEAwwYU2FsbHlwb3J0IFRlc3QgQXV0aG9yaXR5MCAXDTI2MTEyMTA2
        NDQ0NVoYDzIxMjYxMDI4MDY0NDQ1WjARMQ8wDQYDVQQDDAZzZWNvbmQwWTATBgcq
        hkjOPQIBBggqhkjOPQMBBwNCAAQml2LH6ESQ4OgmonFKPC0LGQrVDeaFCjNM3a/V
        qdjxJuL089CTeYBaPpBw3oPeUTnrO1+OMNnijGgFFhqxPk80o4GhMIGeMAwGA1Ud
        EwEB/wQCMAAwLAYDVR0RBCUwI4IJbG9jYWxob3N0ghBzZWNvbmQubG9jYWxob3N0
        hwR/AAABMAsGA1UdDwQEAwIHgDATBgNVHSUEDDAKBggrBgEFBQcDATAdBgNVHQ4E
        FgQUkrbHPviKP9yvwOmaCdfIHMDw1bwwHwYDVR0jBBgwFoAUGk2jEM7SUjAFnRlC
        7zodlojRaRcwCgYIKoZIzj0EAwIDSAAwRQIhAJ5gfxxp3HSaCTYK3QKbVatQarXp
        yKuJ5hfA3rmy6o5gAiA8PvZeqYcR+6fF7G2MZ81RPSk2CyY4jxd3bmdBKXmQQw==
        -----END CERTIFICATE-----
        """.utf8
    )

    /// The key of `second`.
    static let secondKey = Array(
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguw1MLQYGWfJdrHds
        O2mQ1ONqvXsAV4+z8y158ti038qhRANCAAQml2LH6ESQ4OgmonFKPC0LGQrVDeaF
        CjNM3a/VqdjxJuL089CTeYBaPpBw3oPeUTnrO1+OMNnijGgFFhqxPk80
        -----END PRIVATE KEY-----
        """.utf8
    )
}
