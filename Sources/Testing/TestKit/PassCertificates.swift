/// Test certificates for passes and push, valid until 2045; the keys protect nothing.
///
/// The same stand in the vectors of `WalletPassTests` as files.
package enum PassCertificates {
    /// The root that phones believe.
    package static let root = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIDnDCCAoSgAwIBAgICEAEwDQYJKoZIhvcNAQELBQAwbjEfMB0GA1UEAwwWU2Fs
        bHlwb3J0IFRlc3QgUm9vdCBDQTElMCMGA1UECwwcVGVzdCBDZXJ0aWZpY2F0aW9u
        IEF1dGhvcml0eTEXMBUGA1UECgwOU2FsbHlwb3J0IFRlc3QxCzAJBgNVBAYTAlVT
        MCAXDTIwMDEwMTAwMDAwMFoYDzIwNTAwMTAxMDAwMDAwWjBuMR8wHQYDVQQDDBZT
        YWxseXBvcnQgVGVzdCBSb290IENBMSUwIwYDVQQLDBxUZXN0IENlcnRpZmljYXRp
        b24gQXV0aG9yaXR5MRcwFQYDVQQKDA5TYWxseXBvcnQgVGVzdDELMAkGA1UEBhMC
        VVMwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQCS/CdznnGhA1E4wC3o
        L4MKWNeDNaY8sVH7PzrfFu528fl2G1D/wCwOfoDa3zw5Dk8yHBW0aO4euMDrgGdq
        vi5Y8HOUM7XylDmtFtAoMK5tUDVaZezghLhjsXIYMGyqI1UvnxWF6a7Jtf+39UmC
        5AgR6A9qmUyKatFKxwR0EOtmY2tENZggPHDH0B+yNC7hwozvYT3BWKHoex7DiV5H
        mCu3t9y3lqPaZVvp1A1qJAyDbc5tE+lV9f69sl/YECDVtOXbdHOj5xJ12ygdD4O0
        zXwrGKqZbuKto2C3u+6D6ouJjbOiLbrpb45pQi9UVAcfmdWvphPgcAl9vxoRK0rN
        FKvlAgMBAAGjQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMB0G
        A1UdDgQWBBRB1c//RKo/1Siw95dabRsCOVCEozANBgkqhkiG9w0BAQsFAAOCAQEA
        SV79zqK2tcTUJC8hSDSB89a8LpqydTDIqSBktkWofNJZ/i0bIpoYV0lBYJJRGdeM
        EbhzuCXeh1VG5Y9pGYsyYb/aAtHInbYUkas6cCQVxl2Wzj6ab57fx+8jTlGAXwkC
        nEWpAKQ5wAL9MulO0gZ6PZShNLW2h9wKueVdeMZgd6B853c/EbvL8/Fn8ZUjNzRp
        8OHdvO7orlrPwCrti9Lc7ytw4D9R9HAbgPwisX3VyfbfcxEu/akcQNUSIW0AE+1P
        bm2tZ5QvEH0d8QtGnmw0Y0JDWQxEIR71neGPPhV1sTnnsAJagCO5hCA7WgnKLAjf
        RR/5410Mw9f96q2qSuwRNQ==
        -----END CERTIFICATE-----

        """.utf8
    )

    /// The authority between it and the certificates of passes.
    package static let intermediate = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIID2jCCAsKgAwIBAgICIAEwDQYJKoZIhvcNAQELBQAwbjEfMB0GA1UEAwwWU2Fs
        bHlwb3J0IFRlc3QgUm9vdCBDQTElMCMGA1UECwwcVGVzdCBDZXJ0aWZpY2F0aW9u
        IEF1dGhvcml0eTEXMBUGA1UECgwOU2FsbHlwb3J0IFRlc3QxCzAJBgNVBAYTAlVT
        MB4XDTIwMTIxNjE5MzYwNFoXDTQ5MTIxMDAwMDAwMFoweDFDMEEGA1UEAww6U2Fs
        bHlwb3J0IFRlc3QgRGV2ZWxvcGVyIFJlbGF0aW9ucyBDZXJ0aWZpY2F0aW9uIEF1
        dGhvcml0eTELMAkGA1UECwwCRzQxFzAVBgNVBAoMDlNhbGx5cG9ydCBUZXN0MQsw
        CQYDVQQGEwJVUzCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAM7YmxoN
        oH+TGXTSz9MvIVnmqRhkb/e9G/2uYDChh8kJM2twNQW/cdvX2nE73d0ZchHdmZLz
        ej3l5iCcBBtvjcbc3frE9i0jq0GB7CWNE+7015bu5y0OaMgK1sWJFcm7vFPknnKO
        tcYgwytT0oqyiskp2ZjJTzUa/rrdEEfGHx/UnaCQJuin34+pw2+6j7O467U9WYmK
        MRwfYrmvbnhF5sKH4GSeVjUSdUKH+/1zdzFR2jFF3aXG4P7gUKqPJAbYAp9BatVb
        H63NVRhm/DnGw/yo5gSLMqJI6gri+XA4LI04KvGzwCygcd6dvgO+baadXkGqq7C2
        cXjv2BVX4hJBe5MCAwEAAaN4MHYwEgYDVR0TAQH/BAgwBgEB/wIBADAOBgNVHQ8B
        Af8EBAMCAQYwHQYDVR0OBBYEFNQ7t/pIsjOT+YhJwjN0MU/6oeprMB8GA1UdIwQY
        MBaAFEHVz/9Eqj/VKLD3l1ptGwI5UISjMBAGCiqGSIb3Y2QGAgEEAgUAMA0GCSqG
        SIb3DQEBCwUAA4IBAQA1g7amlgbOirVRKCTnWQQDmfsRRG3iEZyUbI/ROYF4EZmG
        UyOs3H6uxMv7BFshkr0ZAZ9q7FBaDRbRdcdKSTacpMsQATD/3Q/tPWmOxC1dnPyO
        YpYOTgpaj5wMZLqrTGJ56fWdCOuiIEbHaa6S1vBAQqNUmJREic8GQhsU01q7/O06
        bpneQoum+eqk97NPxZjEycGo9ghf5JatGH0PH3L7ZZvopvtEnLDg8mf0sgdCTpCr
        tDlFO+7jzoxzheE0wTlxgpafaYTmAz8KitjKLRnqQW5VwHiBYUyGIaz8AGDTEJL/
        bEZYh1Jp4PqxWpGFryM3wUskJYUbV1aKVrI/+LCe
        -----END CERTIFICATE-----

        """.utf8
    )

    /// Of `pass.com.example.sallyport.member`, team `SP4TEST9Z0`.
    package static let member = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIEgjCCA2qgAwIBAgIIFuSIMD1RPPswDQYJKoZIhvcNAQELBQAweDFDMEEGA1UE
        Aww6U2FsbHlwb3J0IFRlc3QgRGV2ZWxvcGVyIFJlbGF0aW9ucyBDZXJ0aWZpY2F0
        aW9uIEF1dGhvcml0eTELMAkGA1UECwwCRzQxFzAVBgNVBAoMDlNhbGx5cG9ydCBU
        ZXN0MQswCQYDVQQGEwJVUzAeFw0yNTA2MDEwMDAwMDBaFw00NTA2MDEwMDAwMDBa
        MIGoMTEwLwYKCZImiZPyLGQBAQwhcGFzcy5jb20uZXhhbXBsZS5zYWxseXBvcnQu
        bWVtYmVyMTgwNgYDVQQDDC9QYXNzIFR5cGUgSUQ6IHBhc3MuY29tLmV4YW1wbGUu
        c2FsbHlwb3J0Lm1lbWJlcjETMBEGA1UECwwKU1A0VEVTVDlaMDEXMBUGA1UECgwO
        U2FsbHlwb3J0IFRlc3QxCzAJBgNVBAYTAlVTMIIBIjANBgkqhkiG9w0BAQEFAAOC
        AQ8AMIIBCgKCAQEAsHWWtpcX6Tsctw5Hm5ILtXJVWjnt6RzKYr+hHb2LKjhhW2Ca
        s8GJdoj0zFTycVP9LIAGEmIeGaZjKIGUtMeYtgk9L3BoCYpApT9wh0m8E1H1euNL
        6l4NdaAft0JaM8TcqvV5CB+zFSVjRmy9EsUX1EOWw8QDehu8noYPBq5a0y5jmJhJ
        Mf0Rw/go1lZ1AN7ApSLrIq5CZ7FJJjPMhuQnZMD/Yi/plDQiNDreXCCWNCzyMt2b
        QDiqGLE9OCjn6N4PsmWySHYYGWF02CCHH0IifqAMZdN0cEKeOlR/ZnxbJ/yEg2x1
        mxwynF8zRd2rNvUGCouQa1EZ8WJVT1ozyg8eQwIDAQABo4HeMIHbMAwGA1UdEwEB
        /wQCMAAwHwYDVR0jBBgwFoAU1Du3+kiyM5P5iEnCM3QxT/qh6mswHQYDVR0OBBYE
        FJa/IZDaWqIv6i7gkVpaEZlZSQm0MA4GA1UdDwEB/wQEAwIHgDAWBgNVHSAEDzAN
        MAsGCSqGSIb3Y2QFATAeBgNVHSUEFzAVBggrBgEFBQcDAgYJKoZIhvdjZAQOMDEG
        CiqGSIb3Y2QGARAEIwwhcGFzcy5jb20uZXhhbXBsZS5zYWxseXBvcnQubWVtYmVy
        MBAGCiqGSIb3Y2QGAwIEAgUAMA0GCSqGSIb3DQEBCwUAA4IBAQBoU0orCwGR0Uev
        Kv1+13vZypG+bertD50X28CHr3BjVPOAyE1YUjSCZ814NKjQpwbpxs69LR+C7+L5
        6C57F1KBA6VgCmcHvk+fTEPd44lymD74ymYgG8lpx6IvUkbBAa8TJyKemjo6zULs
        gZg/NKgO/DEHcNgA2zZ6yDI4cJ/Nd8aounpJH0x90VyVsG3LkGaJMK5ort8BWCJu
        ZmN0qW25CZdf2d68bt7VAH6UyOL+jU+h+JDHiLQY+dEiRUtM7e98C+E1sWeEJ4bC
        UAbAHKuKi03h1ROp629b1VIMuC/kYhIr1GTrmG5EV/fQ3LnHdZ+z/LfcTZjvaiIQ
        nenmhy8p
        -----END CERTIFICATE-----

        """.utf8
    )

    /// The key of `member`.
    package static let memberKey = Array(
        """
        -----BEGIN PRIVATE KEY-----
        MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCwdZa2lxfpOxy3
        Dkebkgu1clVaOe3pHMpiv6EdvYsqOGFbYJqzwYl2iPTMVPJxU/0sgAYSYh4ZpmMo
        gZS0x5i2CT0vcGgJikClP3CHSbwTUfV640vqXg11oB+3QlozxNyq9XkIH7MVJWNG
        bL0SxRfUQ5bDxAN6G7yehg8GrlrTLmOYmEkx/RHD+CjWVnUA3sClIusirkJnsUkm
        M8yG5CdkwP9iL+mUNCI0Ot5cIJY0LPIy3ZtAOKoYsT04KOfo3g+yZbJIdhgZYXTY
        IIcfQiJ+oAxl03RwQp46VH9mfFsn/ISDbHWbHDKcXzNF3as29QYKi5BrURnxYlVP
        WjPKDx5DAgMBAAECggEAAyWsmiyBaPRYFehKbzsFBUxLTWmDp+RqIe8GKOTF9ljP
        E7VH8aMUmETnVoWcMMZkImtU+YisveaoXqe32UBrykNb67fSXqALwfkGQQyX5dhQ
        pxS4b1OmrKj1A0gBrGof2yAlGC6RsjzaeCLLNHx+1uBTcFQco8N1vFF86owo9WPN
        9+xST3IZ6tWNr/RjZprJMKw+Tb/m3ZQtwsP1IjEiOz1WWY1NhGOumc8wpTlObp60
        hWz2AszMwxkxJsF5nha4+6XCQs2mPeVAVlNX8RG8FBkD3ayLPEvtan9oMXxQohTM
        uTzRGE5dOfHgPXE5f15uNGK6W4+SyjdttsLxHtSH8QKBgQDey4QPIIjfT3uoI0BP
        MJzKMnTw3rOhOs+Y5pbQ26BKS97NgXd4apHz5sUqmllqgfhRR+MVFBQ5a6WWzl4t
        ab0QJJzvQKZcmLYRA460KIqs6xMI7c1KEzMljL5/vUnNjy4Zf9sVLuB2hMM9rLAr
        cmm747F2kk7uGNL7uekQyFXJpQKBgQDKwjCV2ywvnzd97cRAUO+4PY0ZThJGHYJn
        c/0fXgzELDBhTb33BLN8Qk3t3MJNcOCGu3itJbUGYYae2lrSnxfwtGtK8s4wfrcq
        eleBxjpuOqP8r1B+qFXexa9w6pqHcLGk85YfSP8DTI7HINXfwU5O+qgQlfES3IRa
        CvEhng2zxwKBgCYGE97FDbcXCKK0iXg6crfrjpvBVmTw9ZdB24F/ykaD1l26d9pc
        TdaTjxjrSNFtpySwIShqydzW62bmh5o2jqbfqM0IepwZEBGtSsCinrBOWmxOsZev
        2S3SbHy+oIbtpc+CS7C81GBF3lB7VYHEwBjqDlKPO9tU70U5AHb1yfZlAoGARxoN
        +58eQZzt0sU8WumHBu7eug78rYXPowOzsfpDM8/jL1wZz7PgVSTTOyR9Jrb8pYK8
        cMuWTaSJls8vpkiQFqLONTwsPilRhh3c7e9bsifyNbws2B2j7zkXqts6UWCdiyC4
        dkQc2UVRlFbZaVvaYCvaH+bU4S5fY0wO/yDz4SUCgYBvvv6N3oyTpo8mtZ6FSYWB
        OAV+5PD8bqD9leZG49Hj5fNYOVKjJD4aFW+85EFnhlWkNBLW9CFwlLxiCLbn0Yh/
        G98VJuOqLAPx7RwOqHWwy9jE3mMSleDgmTW03x6pdtsvyGOvyILJ4EwuY7SLAOlV
        RjZuHX+zF2oob0vHaMfyoA==
        -----END PRIVATE KEY-----

        """.utf8
    )

    /// As `member`, of another authority with the same names.
    package static let rogue = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIEgjCCA2qgAwIBAgIIFuSIMD1RPPswDQYJKoZIhvcNAQELBQAweDFDMEEGA1UE
        Aww6U2FsbHlwb3J0IFRlc3QgRGV2ZWxvcGVyIFJlbGF0aW9ucyBDZXJ0aWZpY2F0
        aW9uIEF1dGhvcml0eTELMAkGA1UECwwCRzQxFzAVBgNVBAoMDlNhbGx5cG9ydCBU
        ZXN0MQswCQYDVQQGEwJVUzAeFw0yNTA2MDEwMDAwMDBaFw00NTA2MDEwMDAwMDBa
        MIGoMTEwLwYKCZImiZPyLGQBAQwhcGFzcy5jb20uZXhhbXBsZS5zYWxseXBvcnQu
        bWVtYmVyMTgwNgYDVQQDDC9QYXNzIFR5cGUgSUQ6IHBhc3MuY29tLmV4YW1wbGUu
        c2FsbHlwb3J0Lm1lbWJlcjETMBEGA1UECwwKU1A0VEVTVDlaMDEXMBUGA1UECgwO
        U2FsbHlwb3J0IFRlc3QxCzAJBgNVBAYTAlVTMIIBIjANBgkqhkiG9w0BAQEFAAOC
        AQ8AMIIBCgKCAQEAqgdUspe1sDEkcWARPjloW1L+1bmd09GVPY9nbmNh0jv2Be5s
        fp0q/H+uHsRhF9+a2wzh42eUrCoW/eTJvl/taxDj8zhvfTdJnl7CdhYgYmtso5Yo
        MCVKFSgjdnZ2U5FJ/qxxV6KceM14OiRpboItK8dUGzeXijb5QphMKkL4XJjtsht9
        /97IBa2vSkd3KF8fDKuGfAPzIVvhNmRNTEglvoJmK7mc8roLkhRkgG7l6c/kAL7W
        XtbyQIg7luYHvnuo4wYBQcd5rW7PYapnQ3pRkNWNOg11MVAg36cLgMl2w8YsmlDV
        D53G4Ru0VJXJHZcJ+3LBYTKmhslSac0S8WAJPwIDAQABo4HeMIHbMAwGA1UdEwEB
        /wQCMAAwHwYDVR0jBBgwFoAU7XnI/rwsZHOsogbVLo3/0RUFhLswHQYDVR0OBBYE
        FFiFSkJEpRwm34KA/G0DphTGZ1QjMA4GA1UdDwEB/wQEAwIHgDAWBgNVHSAEDzAN
        MAsGCSqGSIb3Y2QFATAeBgNVHSUEFzAVBggrBgEFBQcDAgYJKoZIhvdjZAQOMDEG
        CiqGSIb3Y2QGARAEIwwhcGFzcy5jb20uZXhhbXBsZS5zYWxseXBvcnQubWVtYmVy
        MBAGCiqGSIb3Y2QGAwIEAgUAMA0GCSqGSIb3DQEBCwUAA4IBAQB0nVc+BnDLNxQi
        5ipcoGRKkVlioHAELNoHCGGIblmgu4i0rleOFClweoxebBfjx9BlyNruS7yYcqsE
        jl3XL5B9jAg0+4ouAYD88ZjtsJAS99ESmsJNQPyJMs+/VH8Fg5AZLgKJZmv1tfO5
        DhwkIDqrYaN4BO7j44Y1DAXY1StqZPYnMz+MwWxGY87OKKOmdKs7W43RmNtWOewQ
        xSUg6Cg9ckOjVrEYcpyWi8xnKb10I/gf6NeuRdDCaFZGMIUI5MuL9qYN8LIG3/jy
        fUmiCMesmDY0TE329rIY6ya6JEyCxoV5pxiUb6BJ6pKFXFhuXgtWiGfnRuYisIFW
        fZXcBf+A
        -----END CERTIFICATE-----

        """.utf8
    )

    /// The key of `rogue`.
    package static let rogueKey = Array(
        """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCqB1Syl7WwMSRx
        YBE+OWhbUv7VuZ3T0ZU9j2duY2HSO/YF7mx+nSr8f64exGEX35rbDOHjZ5SsKhb9
        5Mm+X+1rEOPzOG99N0meXsJ2FiBia2yjligwJUoVKCN2dnZTkUn+rHFXopx4zXg6
        JGlugi0rx1QbN5eKNvlCmEwqQvhcmO2yG33/3sgFra9KR3coXx8Mq4Z8A/MhW+E2
        ZE1MSCW+gmYruZzyuguSFGSAbuXpz+QAvtZe1vJAiDuW5ge+e6jjBgFBx3mtbs9h
        qmdDelGQ1Y06DXUxUCDfpwuAyXbDxiyaUNUPncbhG7RUlckdlwn7csFhMqaGyVJp
        zRLxYAk/AgMBAAECggEARUzSnS4PfB4ze9BLhuCQI7TKsCLE7LoeCWbDIe94xd7x
        kg5RAzQc+qgxuFGTP09AhyqTgQPNSXSoRVh0T9c6ZeqO9imY62DW7SkzOj0feu3M
        7En93E2+iav/9D8pUDtF/PqdAbqB6wzYBV6k6Ek/jvnh0mwQpGFuq9F2Lb15DAgP
        faXyyJQYUuZ7mD6lA238cCYbgy7l3kybCdy19cnitSZRD7QWMG9WyZJrrsjXnfx+
        iN6lUBkeDyOT+24CE43CttL6lbfRIWyXe/9isPG2u8+o+qlbeXSFlUxY0tljHcBN
        QjC//o0Sh82LNEzfv63DEuXecgbNcK89F6q+uqvJOQKBgQDraL1KnLYohWl4ibPP
        OAaA8cH8E9ani4JaZZnY6R7Kn8eXUUIPLwTriT77L7KCJ2iW4skqWSa9j5o78Enz
        Y2u0rxe+H7GtIOZgljor4CEvc2hYLpCzpDHEmM6n4zrhUvYqVSMA3YP1Mp/liRuj
        TbaieTfNfk1BmtttmyinvFwR1wKBgQC45pjV6lmkCf+UM9qxsJMyEch+bdi+5s4Y
        N8Ru0HeeNPgJloovlVrS2MN/JT+vYfgpV3iIjMdVxHhMOdtLdmRwJ74x87987Hhm
        Wu81BDR+CxkyZYoCX6hPgM3ze2rJy866tRl9d926MVJ3tlu5IpD2CLFZRncqXABk
        j7JkoOkm2QKBgQCouxQibJzsAmQMr7af6mpO9fmyso2C3a37GSPio4UcetXWkbml
        pHAEWwU3iYKLY6/FppvFrMzlxg4otBxtRW+nvHBqJ9F0ZEZ8KHFdjXJ7zl6WBhpV
        iHTbkyNclrRXWN10jj1em2e/0h9lqJaUwFkNr5Ddy4+YXGS29SV4xLvBVQKBgFx5
        cAzkpSqGmZ18ha8C2ctb24Nn2tQ3SPIRyhuGBZ1JbpgVA02jDAaRxMytS3mirOO4
        TJ82kWdS2Lt+4C+QqdDx/4yqFKYc+mZuql5AmSRE1rg+0lQ3lU0V5WsV2aXNWbpF
        Ytc+gNVjX5RhzuP75rY2SMSWmnjEBKpGt/jeBV2ZAoGAerIe+D5GiYf8bUI4lyaJ
        avPj0X+Nofa3VX5RxAfcsVft43JmGEFs54ulDR9bTc1cl9sbuDrWKkEbgZ2FfBcW
        S9gPII6hv4A0XMZM9t9ltOBNmkeYwtoW/ffSJu+ZuyXlZBnqV10slQXhkcRtfWve
        MBVP2vv0KxtNLVhOAV9mjgA=
        -----END PRIVATE KEY-----

        """.utf8
    )

    /// Signs provider tokens, P-256; its id is `TESTKEY001`.
    package static let providerKey = Array(
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+3nAkmrua4jcdbXA
        AyK4tnxPoML/uXa3scK8ZmDkRbChRANCAARYAneY5EKiWUQr+SmoAUkKi+LP4cdy
        XfuXm/vzbDvJDoWJzVHLewzh/ysBzKUtyVDmdOrtmQ77KWVAss9QpRcc
        -----END PRIVATE KEY-----

        """.utf8
    )
}
