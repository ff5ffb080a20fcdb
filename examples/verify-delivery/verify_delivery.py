"""Checks that a delivery is Backstop's, unaltered and fresh (Standard Webhooks 1.0.0, scheme v1). Python 3.8 or newer:

    WEBHOOK_SECRETS="whsec_…" python3 verify_delivery.py <webhook-id> <webhook-timestamp> <webhook-signature> < body
"""

import base64
import hashlib
import hmac
import os
import re
import sys
import time

TOLERANCE_S = 300
# With an empty key anybody could sign.
MIN_KEY_BYTES = 24


def is_genuine(secrets, webhook_id, timestamp, signature, body, now_s):
    """Says whether one of the signatures is by one of the secrets.

    secrets: "whsec_…"; while the secret is being changed, the old and the new one
    signature: the whole header, one or more signatures with a blank between
    body: the very bytes that were received, before any parser saw them
    now_s: Unix seconds
    """
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(now_s - int(timestamp)) > TOLERANCE_S:
        return False
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    given = [item[len("v1,"):].encode() for item in signature.split(" ") if item.startswith("v1,")]
    for secret in secrets:
        key = base64.b64decode(re.sub(r"^whsec_", "", secret), validate=True)
        if len(key) < MIN_KEY_BYTES:
            raise ValueError("A secret is missing or cut short.")
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(expected, item) for item in given):
            return True
    return False


if __name__ == "__main__":
    webhook_id, timestamp, signature = sys.argv[1:4]
    secrets = os.environ.get("WEBHOOK_SECRETS", "").split()
    genuine = is_genuine(secrets, webhook_id, timestamp, signature, sys.stdin.buffer.read(), time.time())
    print("genuine" if genuine else "refused")
    sys.exit(0 if genuine else 1)
