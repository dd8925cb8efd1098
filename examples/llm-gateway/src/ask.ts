import OpenAI from 'openai';

/** Asks the gateway by the openai package, as any program does: node dist/ask.js free-key "Hello" large */
const [apiKey = 'free-key', text = 'Hello', model = 'small'] = process.argv.slice(2);
const baseURL = `${process.env.GATEWAY ?? 'http://localhost:3000'}/v1`;

// Without retries a refusal is shown at once. By default the package waits as long as the gateway says.
const openai = new OpenAI({ apiKey, baseURL, maxRetries: 0 });

async function ask(): Promise<void> {
  const stream = await openai.chat.completions.create({
    model,
    messages: [{ role: 'user', content: text }],
    stream: true,
    stream_options: { include_usage: true },
  });
  for await (const { choices, usage } of stream) {
    process.stdout.write(choices[0]?.delta.content ?? '');
    if (usage) console.log(`\n${usage.prompt_tokens} tokens in, ${usage.completion_tokens} out.`);
  }
}

ask().catch((error: unknown) => {
  if (!(error instanceof OpenAI.APIError)) throw error;
  // The message begins with the status. Without a connection there is neither a status nor a code.
  console.error(error.code ? `${error.message} (${error.code})` : error.message);
  process.exitCode = 1;
});
