export const dynamic = 'force-dynamic';
export const GET = () => new Response('short and stout', { status: 418 });
