#!/bin/sh
# Gets nginx for test/nginx, where there is none: Debian's package, unpacked under node_modules and not installed, so
# that nothing on this machine changes and no service starts. Where that cannot be done, the test says so and is skipped.
set -u
cd "$(dirname "$0")/../.."
place=node_modules/.cache/nginx
if command -v nginx >/dev/null 2>&1 || [ -x /usr/sbin/nginx ] || [ -x "$place/usr/sbin/nginx" ]; then
  exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo 'nginx: there is none here, and no apt-get to get it with'
  exit 0
fi
mkdir -p "$place"
cd "$place" || exit 0
get() { timeout 120 apt-get download nginx >/dev/null 2>&1; }
if ! get; then
  [ "$(id -u)" = 0 ] && timeout 120 apt-get update -qq >/dev/null 2>&1
  get || { echo 'nginx: not to be had here'; exit 0; }
fi
dpkg -x nginx_*.deb . && echo "nginx: $(./usr/sbin/nginx -v 2>&1) unpacked"
