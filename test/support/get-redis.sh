#!/bin/sh
# Gets Redis for test/acceptance/rate-store.test.ts and test/deliver/redis-rate-store.test.ts, where there is none: Debian's
# packages, unpacked under node_modules and not installed, so that nothing on this machine changes and no service starts. Where
# that cannot be done, the tests that need it are skipped.
set -u
cd "$(dirname "$0")/../.."
place=node_modules/.cache/redis
if command -v redis-server >/dev/null 2>&1 || [ -x "$place/usr/bin/redis-server" ]; then
  exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo 'redis: there is none here, and no apt-get to get it with'
  exit 0
fi
mkdir -p "$place"
cd "$place" || exit 0
get() { timeout 120 apt-get download redis-server redis-tools libjemalloc2 liblzf1 >/dev/null 2>&1; }
if ! get; then
  [ "$(id -u)" = 0 ] && timeout 120 apt-get update -qq >/dev/null 2>&1
  get || { echo 'redis: not to be had here'; exit 0; }
fi
for package in *.deb; do dpkg -x "$package" .; done
echo "redis: unpacked in $place"
