#!/bin/sh
# Says whether the workers of nginx can write where proxy_cache_path points. Run it before nginx starts, as the user who starts nginx
# and with nginx's own arguments: as ExecStartPre= of a unit, or from /docker-entrypoint.d of the image.
#
# Without its cache nginx lets nobody through by mistake, but answers with 503, or with nothing.
set -eu

config=$(nginx -T -q "$@")
# The words of a directive: `value proxy_cache_path 2`.
value() { printf '%s\n' "$config" | awk -v name="$1" -v nth="$2" '$1 == name { gsub(";", "", $nth); print $nth }'; }

worker=$(id -un)
if [ "$(id -u)" = 0 ]; then
  worker=$(value user 2)
  [ -n "$worker" ] || worker=$(nginx -V 2>&1 | sed -n 's/.*--user=\([^ ]*\).*/\1/p')
  [ -n "$worker" ] || worker=nobody
fi

writes() {
  if [ "$worker" = "$(id -un)" ]; then sh -c "$1" check "$2"
  else su -s /bin/sh "$worker" -c "$1" -- check "$2"
  fi
}

status=0
for folder in $(value proxy_cache_path 2); do
  if ! writes 'file="$1/check.$$"; true > "$file" && rm "$file"' "$folder"; then
    echo "sluice: nginx, as $worker, cannot write to its cache $folder. Make it a folder of $worker." >&2
    status=1
  fi
done
exit $status
