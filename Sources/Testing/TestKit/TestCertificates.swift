/// Throwaway certificates, valid for a hundred years, for `localhost` and `127.0.0.1`; the keys protect nothing.
package enum TestCertificates {
    /// The authority that issued all of them.
    package static let authority = Array(
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
    package static let first = Array(
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
    package static let firstKey = Array(
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcG2Xeh9dh2PFmJGq
        Co89cIkT4QxsJlePN59NCTvWtxehRANCAASlQ8eBXc8tnIEn7l10n3Wx5asjC6Lf
        n7r41/NzHpb+BWD5XGmwYJVbg9lbTJ3XaVr6EiJ7hAx9i7Lpp8cujNUH
        -----END PRIVATE KEY-----
        """.utf8
    )

    /// P-256, also for `second.localhost`.
    package static let second = Array(
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
    package static let secondKey = Array(
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguw1MLQYGWfJdrHds
        O2mQ1ONqvXsAV4+z8y158ti038qhRANCAAQml2LH6ESQ4OgmonFKPC0LGQrVDeaF
        CjNM3a/VqdjxJuL089CTeYBaPpBw3oPeUTnrO1+OMNnijGgFFhqxPk80
        -----END PRIVATE KEY-----
        """.utf8
    )

    /// RSA with 2048 bits.
    package static let rsa = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIICnjCCAkWgAwIBAgIUe8QzHFjMZQEUzhABGIOdIppJPokwCgYIKoZIzj0EAwIw
        IzEhMB8GA1UEAwwYU2FsbHlwb3J0IFRlc3QgQXV0aG9yaXR5MCAXDTI2MTEyMTA2
        NDQ0NVoYDzIxMjYxMDI4MDY0NDQ1WjAOMQwwCgYDVQQDDANyc2EwggEiMA0GCSqG
        SIb3DQEBAQUAA4IBDwAwggEKAoIBAQDkxELJjzzUScuTnlrF/S0H5IB4pRrVbqf4
        W2vvQ3EbFKfHZ+Mt4NWL8T36yPerF4fCmQGhGmu5KbWu6ACKIqHMLb89f4zLwjQn
        FKG/30SznZRDYhb3MWhA1qL7Eg6dJgGtYgGjRc/y42o6/CAkOTG9EFJOIatr0vp5
        7erwM3PvzJnMU0Us2QPy4ax8ah8Fi/Xv/yeXWTRDxPUeB+EpD3kuWocppUlJ7zJp
        A8ovDNF9Q9lN1vGexfuwpWOg4diJfVud7VeVA9yBMNgjQDgPXTc/0R8uHmv0uUSV
        D4gj8nKkvF03QR7xALuDMaMVpnaEQwjPUI4wCEoifCH9uo9zWVb9AgMBAAGjgZ4w
        gZswDAYDVR0TAQH/BAIwADApBgNVHREEIjAggglsb2NhbGhvc3SCDXJzYS5sb2Nh
        bGhvc3SHBH8AAAEwCwYDVR0PBAQDAgeAMBMGA1UdJQQMMAoGCCsGAQUFBwMBMB0G
        A1UdDgQWBBQ7izOIGtv4gkruNVBInMQf6eQiBDAfBgNVHSMEGDAWgBQaTaMQztJS
        MAWdGULvOh2WiNFpFzAKBggqhkjOPQQDAgNHADBEAiAhsh+PYJpV4U2Y6Y4/c9Mz
        hlFXuRULlst+BL2Owr+jZgIgJMi6woGlqyciZs7KptTmmQ5kih2Uo9CABSo6zubv
        TZQ=
        -----END CERTIFICATE-----
        """.utf8
    )

    /// The key of `rsa`.
    package static let rsaKey = Array(
        """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDkxELJjzzUScuT
        nlrF/S0H5IB4pRrVbqf4W2vvQ3EbFKfHZ+Mt4NWL8T36yPerF4fCmQGhGmu5KbWu
        6ACKIqHMLb89f4zLwjQnFKG/30SznZRDYhb3MWhA1qL7Eg6dJgGtYgGjRc/y42o6
        /CAkOTG9EFJOIatr0vp57erwM3PvzJnMU0Us2QPy4ax8ah8Fi/Xv/yeXWTRDxPUe
        B+EpD3kuWocppUlJ7zJpA8ovDNF9Q9lN1vGexfuwpWOg4diJfVud7VeVA9yBMNgj
        QDgPXTc/0R8uHmv0uUSVD4gj8nKkvF03QR7xALuDMaMVpnaEQwjPUI4wCEoifCH9
        uo9zWVb9AgMBAAECggEAG9PT2/jUiW5AmUBWAmd9pswg5IwQ641+WTOluYEWrRii
        IBt/AwGqeE9sHql7lxBRr1Y1YId6Oxfbxd7q0eLMk62s6aouUkrZVTepRVG/Zanx
        cxDngkI8UEbLpIbZyDvrUE/vqxC+7ujC71HkBwP+DOWDXYWy+Ha9iT9rqLRZkf2y
        fZt/kiOSeMEdJaFz6eLL59yLFS3TeylmIg9fk5VpudjvjhIs2GHXxcV1LL01lQ+m
        6UIzMeVU8ONHYw7zWDjdY7CmhkUbb85gtDaKAxcLjZQTXnPxc43iUhQ+HvitofGs
        MbanLlMRkyG4hZQjCbwGJUOfK9r86jQ26dlQyW1wAQKBgQD69tG3otSp5QJGK22I
        Jl3T9Y8UhGIS3KXmIbkE5VHTO7ZJ18HfAOcOWO4syGm/j1UyfPCfJQXPhd/DlA6z
        5VNxcBLViaZx5c4Iok657Eh9luOcPBhb/VromZbqJ1/ZmZvN9pp+1Z6qNhgitZHg
        rMI/hVIf64RVme5KvaN7RhtJ/QKBgQDpW2pEA23q71ChkmmX665ldRe8L9Zayb4J
        m6pkdGQ0jPPVTr//dijj+pgGZvIe1HWnLBAuopSqXJp1EqiMlWKjQdOAJv5PFuVt
        adjCSpwGtaf9Z7Sg36BzXH8pYS/t3UsB+kwrDtnqDasLw/43HUgD8voMqaoUeqUu
        yWU4T7lRAQKBgQCbXz+LT1YWMN/tjWlsh0RDu51veF43iz9ycKJZc5frDObYZKl0
        ZNynt0sNkq5VmGmIrm1SOduVFS7pqLpJicrVSit+5I+VqE6cbdALr0tZ5ZbY3SO/
        n+UuaBhUszfWQhGBvBD+QUbP3lmm835y+MHyDZpAhNETJg+vWiTiZw7yCQKBgGFT
        DAXjvEMgnmtUig+fbvPHmyeUd/0TaNvO/Yi59lToeIV9O5xK5pD2odMBundbOtqH
        CRS6H/DRgGXVa1B+uU3HlXM8UBIiRXuVip61yU8PEkogp3f07JFQgYR7kSbOhYsE
        niHTJtVz7+OPUYYhAzkKbHk9hb7Wy++wdTPAJFUBAoGAPp450HCEEy27tR5Lsdgo
        KPYoJRaEleSLz/gvBLETa38kmARDmKEopC9ABXXwR83hFvL2VxEZXZf18dyMmbNV
        gRDz+ns1m5nIT8zYmSRiOS3HguFrs6xSChDIeT3+P1vBe5MfDlYwOKblpaly+U9j
        xqLBSDEsxg7SAYblqaFuH7k=
        -----END PRIVATE KEY-----
        """.utf8
    )

    /// The key of `first` under a passphrase.
    package static let lockedKey = Array(
        """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiSABe4Elts6AICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEHwzyb4kP817VOIIwnNP9qwEgZB4
        95JKBy7K0gB00glRfGrBEz6l7GoPKubpp1XTnkhrTFDF9a7Lh6pRH4jA36EgcW46
        ns6FRJGSvTJOskrJfjMVZAaHu3/VAwoYj/WA49k50S+VQALmnx+wN4Dhf9lCpl5q
        z+RKIdkuriQgAWIL61Ls7ktQFua05yjcvWD55KUoU8gD9j3YAiDoa6rD/J8WwE0=
        -----END ENCRYPTED PRIVATE KEY-----
        """.utf8
    )
}
