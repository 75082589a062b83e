#!/bin/sh
# Installs what the build and the tests need and this machine lacks. Says what, before it does.
set -eu

packages="binutils e2fsprogs libsodium-dev libutf8proc-dev make pkg-config python3 python3-argon2 python3-nacl strace"
# For coffer-logind and its test, which are left out where these cannot be had.
optional="dbus libsystemd-dev python3-dbusmock"

if ! command -v swift >/dev/null; then
    echo "coffer: no swift in PATH. Install Swift 6.2 or later (swift.org/install), then try again." >&2
    exit 1
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    if pkg-config --exists libsodium libutf8proc && command -v readelf >/dev/null && command -v strace >/dev/null &&
        /usr/bin/python3 -c 'import argon2, nacl' 2>/dev/null; then
        exit 0
    fi
    echo "coffer: this is no Debian, so install these by hand, under the names they have here:" >&2
    echo "  $packages" >&2
    echo "  (the tests use /usr/bin/python3 with its modules argon2 and nacl)" >&2
    exit 1
fi

missing_of() {
    for package in $1; do
        # shellcheck disable=SC2016  # the pattern is dpkg's
        status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
        [ "$status" = "install ok installed" ] || printf ' %s' "$package"
    done
}

install_all() {
    echo "coffer: installing$1"
    $as_root apt-get update -q
    # shellcheck disable=SC2086  # a list of words
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $1
}

missing=$(missing_of "$packages")
as_root=""
if [ "$(id -u)" -ne 0 ]; then
    as_root=sudo
    if ! command -v sudo >/dev/null; then
        [ -n "$missing" ] || exit 0
        echo "coffer: as root, run: apt-get install$missing$(missing_of "$optional")" >&2
        exit 1
    fi
fi
[ -z "$missing" ] || install_all "$missing"

# Tried once: where they cannot be had, that is no news the next time.
tried=.build/optional-packages-tried
missing=$(missing_of "$optional")
if [ -n "$missing" ] && [ ! -e "$tried" ]; then
    install_all "$missing" || echo "coffer: going on without$missing: coffer-logind is not built, or not tested" >&2
    mkdir -p .build && touch "$tried"
fi
