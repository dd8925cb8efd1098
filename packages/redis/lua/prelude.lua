-- What every part below uses. A script runs from its first line with every call, and Lua makes its functions anew, which is most of what a
-- call costs: so what few calls need is made when it is needed, and functions take what they need as arguments.

local floor, ceil, min, max = math.floor, math.ceil, math.min, math.max

-- What makes the arithmetic of each algorithm that this call may be about, by its name. Beside the functions of its twin, a kernel has
--   layout, bytes   how its state is kept by Lua's struct, behind a version, in so many bytes
--   decode, encode  a state of the text and the numbers in it, and the numbers of a state and of when its key ends; rest, if there is more,
--                   text for behind them. keptUntilMs in a state is when its key ends, if that is known
local kernels = {}

-- The fast path of each algorithm: whole decisions by the same arithmetic, without a kernel and its tables. Of a text that is kept (false if
-- there is none), a limit that neither blocks nor counts refusals, and a cost above 0,
--   whether it is admitted, free (negative in debt), resetAfterMs, retryAfterMs (0 if it fits) and delayMs; and, if it is admitted, text to be kept:
--   from which byte of the old one on, if only its end is new; if not, for how long.
-- Nothing where the fast path does not suffice: then a kernel is asked.
local fastPaths = {}
