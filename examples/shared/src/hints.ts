/** What to try, in lines that can be copied, and what to expect. */
export function hints(url: string): string {
  return `Sluice example API on ${url}

A limit for every address, 300 a minute; see the RateLimit fields count down:
  curl -i ${url}/

Wrong passwords, 5 in 15 minutes per address and user: five times 401, then 429:
  for i in 1 2 3 4 5 6; do curl -s -o /dev/null -w '%{http_code}\\n' ${url}/login -H 'Content-Type: application/json' -d '{"username":"ann","password":"guess"}'; done
The right one is never counted, and works for bob all the time:
  curl -i ${url}/login -H 'Content-Type: application/json' -d '{"username":"bob","password":"builder"}'

Two plans, each with a burst, a minute and a day at once: of 8 at once, free gets about 5, pro gets all:
  seq 8 | xargs -P 8 -I{} curl -s -o /dev/null -w '%{http_code}\\n' ${url}/v1/quotes -H 'X-Api-Key: demo-free-key'
  seq 8 | xargs -P 8 -I{} curl -s -o /dev/null -w '%{http_code}\\n' ${url}/v1/quotes -H 'X-Api-Key: demo-pro-key'
What is left, without spending:
  curl -s ${url}/v1/quota -H 'X-Api-Key: demo-free-key'

Reports leave half a second apart; of 7 at once, 5 wait for their turn and 2 get 429 at once:
  seq 7 | xargs -P 7 -I{} curl -s -o /dev/null -w '%{http_code} after %{time_total} s\\n' ${url}/report

Exports take 2 s; of 3 at once, the third gets 429:
  seq 3 | xargs -P 3 -I{} curl -s -o /dev/null -w '%{http_code}\\n' ${url}/export

Never counted:
  curl -i ${url}/health

Ctrl+C stops it when what is under way has been answered.`;
}
