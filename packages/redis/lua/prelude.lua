-- Used by every part below. Each call runs the script from its first line, and Lua creates the functions again, which is most of the cost of a
-- call. So functions that few calls need are created when they are needed, and functions get their data as arguments.

local floor, ceil, min, max = math.floor, math.ceil, math.min, math.max

-- The factory of each algorithm's kernel, by its name. Beside the functions of its twin, a kernel has
--   layout, bytes   the format of its state for Lua's struct, after a version, and its length in bytes
--   decode, encode  decode makes a state from the text and its numbers; encode returns the numbers of a state and the end of its key, and, if
--                   there is more, rest: the text after the numbers. keptUntilMs in a state is the end of its key, if it is known
local kernels = {}

-- The fast path of each algorithm: whole decisions with the same arithmetic, without a kernel and its tables. From the text of a key (false if
-- there is none), a limit that neither blocks nor counts refusals, and a cost above 0, it returns
--   whether it is admitted, free (negative in debt), resetAfterMs, retryAfterMs (0 if it fits) and delayMs; and, if it is admitted, the new text:
--   with the first changed byte, if only its end is new; otherwise with its time to live.
-- It returns nothing if a kernel is needed.
local fastPaths = {}
