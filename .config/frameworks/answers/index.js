// What handlers of the applications answer.

/** Answers as the query says, and otherwise with the body of the request. */
export async function own(request) {
  const { search } = new URL(request.url);
  if (search === '?answer=broken') throw new Error('broken');
  return search === '?answer=teapot'
    ? new Response('short and stout', { status: 418 })
    : new Response(await request.text());
}

/** Returns a response that has no end before its client leaves. */
export function ticks() {
  let timer;
  const body = new ReadableStream({
    start(controller) {
      const tick = () => controller.enqueue(new TextEncoder().encode('tick\n'));
      tick();
      timer = setInterval(tick, 20);
    },
    cancel: () => clearInterval(timer),
  });
  return new Response(body);
}
