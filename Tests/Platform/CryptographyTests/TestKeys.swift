import Primitives

/// Keys made for tests; they protect nothing.
enum TestKeys {
    static let privatePKCS8 = """
        -----BEGIN PRIVATE KEY-----
        MIIEuwIBADANBgkqhkiG9w0BAQEFAASCBKUwggShAgEAAoIBAQDQgvFArzYkcEG9
        cJ5paqBhpTOLUnoFbSyHxAk5Tx1PwkrYlvcu8IRdjeXWlTPcJHIxCXMV1clqjHcM
        jKcyaWY9XPqy8VEhuky3qVzcY0z90jLNy3KMgIqSbm3Mnl2XWnvBTpk1HSLuYkcG
        MXK/VKLBGlomAYlUUUT2CKloAstGv2mopnPiH+JMkhyUNWzBeRahv9wBL028No53
        hO74iovZws1BECcePEB+upod1GDPgPCOhEBvJ64dkUtd8z7VS3qgDe+UmXNsFks6
        2N4MFf8M6T8kVHClhryNMlbdgnXLcn9FFWXfTU3SfJ0xwtpgDoARD5WoL0G8ALD2
        uc8i+1D/AgMBAAECgf9iJUBpsg9KF4zaHqhx9j6Ht7sLWUcWRs0vGpc84oBpioqw
        aF7xOUUUxDXrS0+dz4nwiwIgxQCJppRi09HfaL03JQzcLbqCpa52xMFw+0zCLK69
        L4Y7nEWdp10Hc4OaOn0GAHkdBxnqG1hTEfNxG+V//2dvfEmn5pkPNgSHcMk+AwEY
        SQbpaOyt8eoVGZh/pzWm36LRrhY66Mao84ffFhXqUzLT2sA3aUXX0krUHohJYxRG
        mMjkWkqEMkhZY1CvxR2ti1utLBVc7MseINmj668JuIuDDzv0/pbMe46EawV1w/0l
        N+brTYBmas23HmvTEJUkpQRGPPJocwd2ZWs/oM0CgYEA+T6CSdWj1ckP+y7L0DRY
        x671gQbGx2sqmIOYP9WghrVD8LE4eFeyWFjUo44qu5mp5ozPguDBl3T7387YPFiJ
        pLpqBLuw9smJxFd2nFxPjgEa4+Bv0+SfsSBhBtEABhSm/AWsSeB1Y0bsRRxAEfk6
        ih7a2IPnUf/6m/4bjPzHPksCgYEA1inKrVkZm7n1tx0mT9xD+3IVKbSw9PsDcyZt
        31BXhauXDRnSNHeWrS9CFyv/+3OfBnldghgytkXSZRa1v2hkxyLo4vFGeV+cINKN
        4HO24btHRpaGnLfrMhrfbcq0R5uhIbXw+bYtEFrflFmou8Z1nmaR4F4puT/2SCVk
        Fko4N50CgYA477GdokMh5CNVcvQ2JK8fNnV4uw6PoYiCfJU8B9X6z8+sXR+URhxE
        mE5C6ogSgODR/NqugB9ZNO0QzFSTPHp8+eScHjAnwBRLmNtMjr3Rp6j3415IXlKo
        iMgBYZ8KxI78xWL9IVxPiHUSuIheUruvr6q4iTE/hyU9m0e55kixjwKBgQC6UXF6
        jmGxEX+r5zhFkiOyxfWTaxfoidjefThpZ8Q9DqNDSouOCdyUnuCouCbj5BsdzsiD
        PfogiW4ZdEB6XaAPf1eM2MuvHHcANy4nb4RTrlK8HojOH1QHK0nmgsuE4Oi2I0ua
        c9uQtv58WeRqOKZrQGD5CfLSr8rbyWvh2IBAIQKBgDMWFh6DyHWAWkiSr+EzuRJz
        N/6T0I5+WegiD71lCXDDIBpQV4zz8G8eQ/pwtPBlLCXceAgx7KSN4PPF70oOwM3a
        1LlxeZsrgAW4+8H7yPGy5SI9QbhVuzRYEKVzoZC8K4TO0vrPrTH3wgLtrNyDyhqK
        4CCwmTVYxofRUlMoz+V/
        -----END PRIVATE KEY-----
        """

    /// The same key in the older form.
    static let privatePKCS1 = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEoQIBAAKCAQEA0ILxQK82JHBBvXCeaWqgYaUzi1J6BW0sh8QJOU8dT8JK2Jb3
        LvCEXY3l1pUz3CRyMQlzFdXJaox3DIynMmlmPVz6svFRIbpMt6lc3GNM/dIyzcty
        jICKkm5tzJ5dl1p7wU6ZNR0i7mJHBjFyv1SiwRpaJgGJVFFE9gipaALLRr9pqKZz
        4h/iTJIclDVswXkWob/cAS9NvDaOd4Tu+IqL2cLNQRAnHjxAfrqaHdRgz4DwjoRA
        byeuHZFLXfM+1Ut6oA3vlJlzbBZLOtjeDBX/DOk/JFRwpYa8jTJW3YJ1y3J/RRVl
        301N0nydMcLaYA6AEQ+VqC9BvACw9rnPIvtQ/wIDAQABAoH/YiVAabIPSheM2h6o
        cfY+h7e7C1lHFkbNLxqXPOKAaYqKsGhe8TlFFMQ160tPnc+J8IsCIMUAiaaUYtPR
        32i9NyUM3C26gqWudsTBcPtMwiyuvS+GO5xFnaddB3ODmjp9BgB5HQcZ6htYUxHz
        cRvlf/9nb3xJp+aZDzYEh3DJPgMBGEkG6WjsrfHqFRmYf6c1pt+i0a4WOujGqPOH
        3xYV6lMy09rAN2lF19JK1B6ISWMURpjI5FpKhDJIWWNQr8UdrYtbrSwVXOzLHiDZ
        o+uvCbiLgw879P6WzHuOhGsFdcP9JTfm602AZmrNtx5r0xCVJKUERjzyaHMHdmVr
        P6DNAoGBAPk+gknVo9XJD/suy9A0WMeu9YEGxsdrKpiDmD/VoIa1Q/CxOHhXslhY
        1KOOKruZqeaMz4LgwZd0+9/O2DxYiaS6agS7sPbJicRXdpxcT44BGuPgb9Pkn7Eg
        YQbRAAYUpvwFrEngdWNG7EUcQBH5Oooe2tiD51H/+pv+G4z8xz5LAoGBANYpyq1Z
        GZu59bcdJk/cQ/tyFSm0sPT7A3Mmbd9QV4Wrlw0Z0jR3lq0vQhcr//tznwZ5XYIY
        MrZF0mUWtb9oZMci6OLxRnlfnCDSjeBztuG7R0aWhpy36zIa323KtEeboSG18Pm2
        LRBa35RZqLvGdZ5mkeBeKbk/9kglZBZKODedAoGAOO+xnaJDIeQjVXL0NiSvHzZ1
        eLsOj6GIgnyVPAfV+s/PrF0flEYcRJhOQuqIEoDg0fzaroAfWTTtEMxUkzx6fPnk
        nB4wJ8AUS5jbTI690aeo9+NeSF5SqIjIAWGfCsSO/MVi/SFcT4h1EriIXlK7r6+q
        uIkxP4clPZtHueZIsY8CgYEAulFxeo5hsRF/q+c4RZIjssX1k2sX6InY3n04aWfE
        PQ6jQ0qLjgnclJ7gqLgm4+QbHc7Igz36IIluGXRAel2gD39XjNjLrxx3ADcuJ2+E
        U65SvB6Izh9UBytJ5oLLhODotiNLmnPbkLb+fFnkajima0Bg+Qny0q/K28lr4diA
        QCECgYAzFhYeg8h1gFpIkq/hM7kSczf+k9COflnoIg+9ZQlwwyAaUFeM8/BvHkP6
        cLTwZSwl3HgIMeykjeDzxe9KDsDN2tS5cXmbK4AFuPvB+8jxsuUiPUG4Vbs0WBCl
        c6GQvCuEztL6z60x98IC7azcg8oaiuAgsJk1WMaH0VJTKM/lfw==
        -----END RSA PRIVATE KEY-----
        """

    static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA0ILxQK82JHBBvXCeaWqg
        YaUzi1J6BW0sh8QJOU8dT8JK2Jb3LvCEXY3l1pUz3CRyMQlzFdXJaox3DIynMmlm
        PVz6svFRIbpMt6lc3GNM/dIyzctyjICKkm5tzJ5dl1p7wU6ZNR0i7mJHBjFyv1Si
        wRpaJgGJVFFE9gipaALLRr9pqKZz4h/iTJIclDVswXkWob/cAS9NvDaOd4Tu+IqL
        2cLNQRAnHjxAfrqaHdRgz4DwjoRAbyeuHZFLXfM+1Ut6oA3vlJlzbBZLOtjeDBX/
        DOk/JFRwpYa8jTJW3YJ1y3J/RRVl301N0nydMcLaYA6AEQ+VqC9BvACw9rnPIvtQ
        /wIDAQAB
        -----END PUBLIC KEY-----
        """

    static let otherPublicKey = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAt0Cs3y0H/xNjx6G9ae3v
        StxPV/L0mNVjhvx5850ySm2c2prnpDQQ+x6JOEXVf5LfUlzPvucZAkfvh7ZCdTEE
        PlQ2W/F/SckwP3G6+GZ8ZUYi4FQgCVFI9lt62jyEs9qZVdEj9GVClQ0T8vY3OcOx
        ZIyqQNlYIudQ8doOpK6h0JJWdsaXAt66ghFmHWFKMGiR5LOLZoZtxc6uAw8m0w+r
        qHd+U5+LVlLB8bhJdnRRV2nW1W9WWmxrYv3SoArhkbK+cJfyJ3auCIW3PnoKYpG+
        rLN4rB45MhkksRugYG1S+DDm/GM9h7RGndHlFLct6heGBwG+m7FkRZ0YwrYCnd/T
        cQIDAQAB
        -----END PUBLIC KEY-----
        """

    static let shortPrivate = """
        -----BEGIN PRIVATE KEY-----
        MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAL+vppWqkydnPLyQ
        +w25vT9NN868wxbx2sbyrN5QgriyU9IDXXIP4KzFTf7Al1A97YwrEWv8VX4qIQWa
        WcgOGfMR5nIIAmPVG/8sBJOnvRAgtxwT3vynqIU6x0aWMa6Q445Czohw4xuuDbaC
        LYhaAmZE06stJuZ6LDpEiJMsitIHAgMBAAECgYAuZl50rC2ixCK3ooCi+esNf6ua
        p6axzymeLvAZgHOkMcaId7gO/DjumXQfzo7SJaty2poFAbfQKnKD4LEK9B7jhEQx
        336mlVlTi3+HVlTNYMKH0sso74CYYXs/yYEg+BB6uhxJO6r4ciellmgwXDlYAdP1
        UXRMeS1M6PGGg76IwQJBAO/YarG7dJsqheyz5662oLCIm03jrG5N7eYfvs9aX7Lb
        Um1qUAa45AI66apvYvVZI4MQhuCASvTwLhIuo+hj7FsCQQDMmNabmAnii7sCVOLf
        p79Ce5CRAO74hbYmxCtlOotD/uTHuRzJ4yXF5kxLEAN/nXHTg4K2GORfQFa21JX5
        lNDFAkEAx60z/m3iwT+gqZSJYLIYi3/fU/Qk3NwyH/Dz6SsDGyNutzrYDxCkeprT
        aBo9l6czYm1C7OrB/LNsl6SOvu1ZmwJAOgNwfugKjYFfgpa9SfvPwLM219by6+dG
        MhHX2DlUefBRwMwdfKV69XWK1pHw3AOx3e7hZm8CenvM2sTGzeFDnQJBAObu9D6V
        xUJuy7JVPJBAg7BYxcUdyqalAcj0bQYRDg0GcVI1IWwO1uBGIES30M8jnGhvyi/e
        LcN769dkT2ynnic=
        -----END PRIVATE KEY-----
        """

    static let curvePrivate = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbiDPTSpZer8tsroc
        P7+F9CTjmIn9exh4IuLncwn4VjqhRANCAARVHHDaoiTAf2dQbpDbiA5ntToYV1hU
        tGhh4BWRcRo2oRF0D5ft7R+tknMs2kFYFC8tPdqDOHjrMRcXmyUvz8DO
        -----END PRIVATE KEY-----
        """

    /// The same key, behind the passphrase `x`.
    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIIFHTBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQIvrHjRbwbFrICAggA
        MAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUDBAEqBBDDU4tc7/T+U4+4LAYLRjXZBIIE
        wOkd2n+1nkKFCAjpMsmQYBj2habhpGddVdDbFg6Zl8+gpSwwsPbaQlZkGeYFs1oY
        3DIz7FwSfTasNO+pzOxfyBBQJm9fe1zwEF7ej9Q7MNbJR9V5BDNTzyOC1jlC5f6F
        g1Q1Mfb4z2m0Hr282d3jrDewrzOf+tUxsncfFyOKgzQWBeWAZkJGxH8zcWL9u0l0
        vOgcfAS+VeT17p5Iv8xK6H1Drp1IBmYDpMwH1oeJcBeMYCW3Yl35pmelsFTG18wn
        c9OQ+b0wV8a8JIYQzYq8QJjrDh9hh2B2qXdk90YMvuafEGiFwf1dp2MkW65clc6d
        qcFrExhuNrIKG+n545HI5P/Dt21jLhuM0iAkN7AZR0ztQzVoV1TkOACwwTpOl2cz
        tqXHLUW4Eznc4jKSAl3nmn/i9mmWiXr7+pA1o5drH4cXp+152+xAA4J4crPWx8i0
        lm7Q/Mn8cakF/U3RpJYg8Gtg7NGrcD4WYscuralWlOaG5IAPPTxDvSlmiKI5FWs2
        1ffKdn9ULEtYH5ITe3ME0qzeKR+ks71uLawvqfAIOscLsPcKfNB6DTv52FpGCh9h
        rz8DYU1e5Iurs5Z+Fbju2YWF2qoG9vHN/oIpEn0rQscf+hgwOY7lDtXhAvbr3mUp
        xHle+7kvn4Oe/qqf92UvqifmrRs893X/KGyfRswZ8w1AazjmN4HIEIVWlHkd2Iu+
        IqrdC9oCP8Svv8huj7PSgZz7wFziBtd0b38yQCN4hAhYgGGPBxaqDVJXSCc+AeJ8
        k0qWzwMCPYYUx+ZNPlyPcG7F8fWwBLpAabtmZ+xgFtO22MXRhZl6Va3DW4+a+RLA
        EmC3JlvSQ0ZyfaXkXKGdpAlmlm3szNtLnEe4vDbBJQsIBYHSRmewnrey6iVKv3om
        +8BUhVLvRg4CppyuGjCPMwMvbvi5nxnDvi7j8hIxSsQ7B3/kV15u0RKB/Wm743AM
        fkCIuTqV6zk4vbCxPE/zFZdPi6sGvgqb8gAFFrWcJgV4Dvpoagx8BSGLM80okYGX
        royoxtWPO/WgkjCIGDjXvBIucwQp588bLzeA3L18IHDYZGmmj/XIZnA2Vq6rShW9
        B9G7BdnUEyPBJ5rg/yG2ls+Q/I+gTEFrTDk0+TbhUvQaW8zuhXU72/sXk0pbFy4G
        uQjVQu9LK8XdCSXVetFd7qPXWj1eLtpMZ2vLJKp+D9uZAeXJbyhVAEFXfNMWWUvN
        drYLWGO1wjjfDmb6ODIvFJ2Jgd7PpCQ6hLMZ3pPpsY9n7znmI/SrG1HJuMiMjb7a
        bTEjsKIjnWUm2z64nL19RCqyBE8fxn3CG93xE7ZBO2ugmomGTre0UMnR+wouy9uk
        snOJGQb6bVHSkmCtLx2L2T+iJoNvN8UyuvW/KUmkvdTzck+/uy+2cOIJo9ydHIR9
        Tzb0xz09Ec8WkUjLGWkmq3JEESQ1yyxjdDZdMfCZU/FMZEOn1eQ793IeuW70LMkv
        aK3h/whF0BvTA4kITAeotTHVROS3TjAACHLzTBMWHU/W/c3gQu1Q35t6SklnYQsW
        y+N46GLtcsrtYf65ydnEJ8pyTbxvFfzyACnsQNxbaOngtYK1ZJeJAv1TAl+OAjVu
        JPXo6SVfjeZcaKlIO6RRl1M=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    static let signaturePKCS1 =
        "w1Eo0GSt+jCwB2uWoddsUEKntb0V9kDQ0j34cmGK8mCru40IPWW8aU3L4bChurq2P7OkWf+Kop5IY7IM7A4aAmODIb7fawWd"
        + "G023ubcfp8afkMzmCcWWO8g9i4MifZOuBYji4yeXT8CRoZpAh0d057xiy1bkeMJExqjpScMiIpiwIuuJq0y4+g2/X/LQWwFQ"
        + "tLJvfuvNZ8POoCzFVfzSSHCv6mYM3zEf4HOtHolTEn8HinNBi1dMF3fSq5Ht5A0ooBwyIERV4/EosgB+Fsm9HyuH6g0WvEiJ"
        + "rzN4Q3RDYmnKgUeFHu3qP0QaGWlrn1vqh8vZZocHEAopBC7uVVi4ZQ=="
}

extension String {
    /// The text as a hidden key file.
    var asKey: Secret<[UInt8]> { Secret(Array(utf8)) }
}

/// Repeats a counter, so that a nonce or a serial number is known.
final class CountingRandom: RandomSource {
    private var next: UInt8 = 0

    func append(_ count: Int, to output: inout [UInt8]) {
        for _ in 0..<count {
            output.append(next)
            next &+= 1
        }
    }
}

/// Supplies the same bytes for every request.
final class FixedRandom: RandomSource {
    private let fixed: [UInt8]

    init(_ hex: String) {
        fixed = Hex.decode(hex) ?? []
    }

    func append(_ count: Int, to output: inout [UInt8]) {
        output += fixed.prefix(count)
    }
}
