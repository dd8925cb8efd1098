const QUOTES = ['Less is more.', 'Slow is smooth, smooth is fast.', 'Make it work, make it right, make it fast.'];

export const anyQuote = () => ({ quote: QUOTES[Math.floor(Math.random() * QUOTES.length)] });
