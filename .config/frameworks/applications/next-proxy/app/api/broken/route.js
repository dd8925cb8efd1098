export const dynamic = 'force-dynamic';
export const GET = () => {
  throw new Error('broken');
};
