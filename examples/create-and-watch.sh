#!/bin/sh
# Creates an order, announces a payment, and prints the order's status until it is delivered or closed.
# Needs curl, and `npm start` in another terminal. With the address of the simulated partner channel it also pays:
#   sh examples/create-and-watch.sh [http://127.0.0.1:<port of channel partner>]
set -eu

API="${API:-http://127.0.0.1:8787}"
TOKEN="$(cat "${TOKEN_FILE:-.backstop/token}")"
ORDER="DEMO-$(date +%s)"
PARTNER="${1:-}"

call() {
  method="$1"
  path="$2"
  shift 2
  curl -sS --fail-with-body --max-time 15 -X "$method" "$API$path" \
    -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' "$@"
}

call PUT "/orders/$ORDER" -d '{"amount":8800,"currency":"CNY","lines":[{"sku":"tea","quantity":1}]}'
echo
call POST "/orders/$ORDER/pay-attempts" -d "{\"channel\":\"partner\",\"outTradeNo\":\"$ORDER\"}"
echo

if [ -n "$PARTNER" ]; then
  curl -sS --fail-with-body -X POST "$PARTNER/control/pay" -H 'content-type: application/json' \
    -d "{\"outTradeNo\":\"$ORDER\",\"amount\":8800,\"currency\":\"CNY\"}"
  echo
fi

last=''
while :; do
  status="$(call GET "/orders/$ORDER" | sed 's/.*"order":{[^}]*"status":"\([A-Z_]*\)".*/\1/')"
  if [ "$status" != "$last" ]; then echo "$ORDER $status"; fi
  last="$status"
  case "$status" in DELIVERED | COMPLETED | CLOSED | REFUNDED) exit 0 ;; esac
  sleep 1
done
