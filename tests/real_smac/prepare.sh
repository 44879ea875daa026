#!/bin/sh
# Make $1/venv, which has pysc2 beside the packages of this project's python $2, and check smac ($3) and smacv2 ($4) out.
set -eu
mkdir -p "$1"
if [ ! -e "$1/venv/ready" ]; then
    "$2" -m venv "$1/venv"
    pip="$1/venv/bin/python -m pip --disable-pip-version-check -q install -c constraints.txt"
    $pip pysc2==4.0.0 pys2clientprotocol
    # s2clientprotocol, which pysc2 asks for, has files of the same names, older than protobuf allows
    $pip --force-reinstall --no-deps pys2clientprotocol
    "$2" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > "$("$1/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/project.pth"
    touch "$1/venv/ready"
fi
fetch() { # the code alone: the maps and the pictures are not needed
    [ -d "$2/.git" ] || git clone -q --no-checkout "$1" "$2"
    git -C "$2" checkout -q HEAD -- '*.py' LICENSE
    echo "$2 is $(git -C "$2" rev-parse --short HEAD) of $1"
}
fetch "$3" "$1/smac"
fetch "$4" "$1/smacv2"
