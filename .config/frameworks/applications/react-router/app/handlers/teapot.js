export const loader = () => new Response('short and stout', { status: 418 });
