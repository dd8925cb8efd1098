/** What to try, in lines that can be copied, and what to expect. */
export function hints(url: string, metricsUrl: string, policyFile: string): string {
  return `Sluice observed API on ${url}

Every customer has a plan, and acme has the free one; see its RateLimit fields count down:
  curl -i ${url}/v1/quotes -H 'X-Api-Key: acme'
The search limit is new and only counts so far. Nobody is refused:
  for i in $(seq 40); do curl -s -o /dev/null -w '%{http_code} ' '${url}/search?q=rate'; done
Guessing passwords is refused after five times:
  for i in 1 2 3 4 5 6; do curl -s -o /dev/null -w '%{http_code} ' -X POST ${url}/login; done
Two exports run at once, and others wait for their turn:
  for i in 1 2 3 4; do curl -s -o /dev/null -w '%{time_total} ' ${url}/exports & done; wait

What the limits do, for Prometheus:
  curl -s ${metricsUrl}/metrics | grep sluice_decisions
Traffic of customers, to have something to watch:
  npm run traffic -w @sluice/example-observed-api -- ${url}

Change a limit now, and it holds within a second. What was spent stays spent:
  ${policyFile}

Ctrl+C stops it when what is under way has been answered.`;
}
