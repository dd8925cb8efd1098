-- The time of a clock that was passed, as the last argument, in place of the server's. A key's time to live runs in real time, so it is at least
-- this long.

local nowMs, leastTtlMs = tonumber(table.remove(ARGV)), 600000
