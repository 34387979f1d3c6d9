/// Keys made for tests; they protect nothing.
enum TestKeys {
    static let merchantPublic = """
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

    static let otherPublic = """
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

    static let merchantPrivate = """
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
}
