export const POST = async (request) => new Response(await request.text());
