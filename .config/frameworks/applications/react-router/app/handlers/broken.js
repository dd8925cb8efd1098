export const loader = () => {
  throw new Error('broken');
};
