<?php
// Checks that a delivery is Backstop's, unaltered and fresh (Standard Webhooks 1.0.0, scheme v1). PHP 8.0 or newer:
//   WEBHOOK_SECRETS="whsec_…" php verify_delivery.php <webhook-id> <webhook-timestamp> <webhook-signature> < body
declare(strict_types=1);

const TOLERANCE_S = 300;
/** With an empty key anybody could sign. */
const MIN_KEY_BYTES = 24;

/**
 * Says whether one of the signatures is by one of the secrets.
 *
 * @param string[] $secrets `whsec_…`; while the secret is being changed, the old and the new one
 * @param string $signature the whole header, one or more signatures with a blank between
 * @param string $body the very bytes that were received (file_get_contents('php://input')), before any parser saw them
 */
function is_genuine(array $secrets, string $id, string $timestamp, string $signature, string $body, int $now_s): bool
{
    if (preg_match('/^[0-9]{1,12}$/D', $timestamp) !== 1 || abs($now_s - (int) $timestamp) > TOLERANCE_S) {
        return false;
    }
    foreach ($secrets as $secret) {
        $key = base64_decode((string) preg_replace('/^whsec_/', '', $secret), true);
        if ($key === false || strlen($key) < MIN_KEY_BYTES) {
            throw new InvalidArgumentException('A secret is missing or cut short.');
        }
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "{$id}.{$timestamp}.{$body}", $key, true));
        foreach (explode(' ', $signature) as $item) {
            if (hash_equals($expected, $item)) {
                return true;
            }
        }
    }
    return false;
}

if (PHP_SAPI === 'cli' && realpath($argv[0]) === __FILE__) {
    [, $id, $timestamp, $signature] = $argv;
    $secrets = preg_split('/ +/', (string) getenv('WEBHOOK_SECRETS'), -1, PREG_SPLIT_NO_EMPTY);
    $body = (string) stream_get_contents(STDIN);
    $genuine = is_genuine($secrets, $id, $timestamp, $signature, $body, time());
    echo $genuine ? "genuine\n" : "refused\n";
    exit($genuine ? 0 : 1);
}
