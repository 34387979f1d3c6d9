"""Texts of purchases as the App Store signs them, under a root of its own; run where `cryptography` is found.

    storetexts.py FOLDER NAME FIRST COUNT ACCOUNTS

The first run makes the certificates in FOLDER: root.der and what signs. NAME gets the header of all texts in its first line, then a line
for each purchase: the account, and payload and signature with a dot between. Account and purchase are counted from FIRST on.
"""
import base64
import datetime
import hashlib
import json
import pathlib
import sys
import time
import uuid

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.x509.oid import AuthorityInformationAccessOID, NameOID, ObjectIdentifier

from storeapp import BUNDLE, PRODUCT

MARKS = {"intermediate": "1.2.840.113635.100.6.2.1", "leaf": "1.2.840.113635.100.6.11.1"}
EMPTY = bytes([5, 0])


def account(number):
    """The id of an account, which is the token that its app passes, too; appstore.sql makes the same."""
    return str(uuid.UUID(hashlib.md5(f"account {number}".encode()).hexdigest()))


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def certificate(name, key, issuer, signer, serial):
    """A certificate like the App Store's: P-384 above, P-256 at the end."""
    now = datetime.datetime.now(datetime.timezone.utc)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Bench {name}")])
    is_leaf, authority = name == "leaf", x509.SubjectKeyIdentifier.from_public_key(signer.public_key())
    usage = dict.fromkeys(("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "encipher_only", "decipher_only"), False)
    build = (x509.CertificateBuilder().subject_name(subject).issuer_name(issuer or subject).public_key(key.public_key()).serial_number(serial)
             .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=30))
             .add_extension(x509.BasicConstraints(not is_leaf, None if is_leaf or name == "root" else 0), True)
             .add_extension(x509.KeyUsage(digital_signature=is_leaf, key_cert_sign=not is_leaf, crl_sign=not is_leaf, **usage), True)
             .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
             .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(authority), False))
    if name in MARKS:
        access = x509.AccessDescription(AuthorityInformationAccessOID.OCSP, x509.UniformResourceIdentifier("http://127.0.0.1:1/ocsp"))
        build = build.add_extension(x509.UnrecognizedExtension(ObjectIdentifier(MARKS[name]), EMPTY), False)
        build = build.add_extension(x509.AuthorityInformationAccess([access]), False)
    return build.sign(signer, hashes.SHA384())


def make_certificates(folder):
    keys = {"root": ec.generate_private_key(ec.SECP384R1()), "intermediate": ec.generate_private_key(ec.SECP384R1()),
            "leaf": ec.generate_private_key(ec.SECP256R1())}
    chain, issuer, signer = [], None, keys["root"]
    for serial, name in enumerate(("root", "intermediate", "leaf"), 1):
        made = certificate(name, keys[name], issuer, signer, serial)
        chain.insert(0, made.public_bytes(serialization.Encoding.DER))
        issuer, signer = made.subject, keys[name]
    (folder / "root.der").write_bytes(chain[-1])
    (folder / "chain.json").write_text(json.dumps([base64.b64encode(one).decode() for one in chain]))
    pem = keys["leaf"].private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "leaf.key").write_bytes(pem)


def payload(number, owner):
    milliseconds = int(time.time() * 1000) - 1000
    return {"transactionId": f"3{number:015}", "originalTransactionId": f"3{number:015}", "bundleId": BUNDLE, "productId": PRODUCT,
            "purchaseDate": milliseconds, "originalPurchaseDate": milliseconds, "quantity": 1, "type": "Consumable",
            "appAccountToken": owner, "inAppOwnershipType": "PURCHASED", "signedDate": milliseconds, "environment": "Sandbox",
            "transactionReason": "PURCHASE", "storefront": "JPN", "storefrontId": "143462", "price": 160000, "currency": "JPY",
            "appTransactionId": f"7{number:015}"}


def main():
    folder, name, first, count, accounts = pathlib.Path(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:])
    if not (folder / "leaf.key").exists():
        make_certificates(folder)
    key = serialization.load_pem_private_key((folder / "leaf.key").read_bytes(), None)
    header = encode(json.dumps({"alg": "ES256", "x5c": json.loads((folder / "chain.json").read_text())}, separators=(",", ":")).encode())
    with open(folder / name, "w", encoding="ascii") as output:
        output.write(header + "\n")
        for number in range(first, first + count):
            # Large steps, so that neighbours in time are none in the tables.
            owner = account(number * 7_919 % accounts + 1)
            body = encode(json.dumps(payload(number, owner), separators=(",", ":")).encode())
            r, s = decode_dss_signature(key.sign(f"{header}.{body}".encode(), ec.ECDSA(hashes.SHA256())))
            output.write(f"{owner} {body}.{encode(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}\n")


if __name__ == "__main__":
    main()
