// Says how tests ended, a line of JSON for each, for the Go test that runs them.
export default async function* reporter(source) {
  for await (const { type, data } of source) {
    if (type === 'test:diagnostic') yield `${JSON.stringify({ note: data.message })}\n`;
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details?.type === 'suite' || (data.name ?? '').endsWith('.mjs')) continue;
    const error = data.details?.error;
    yield `${JSON.stringify({
      name: data.name,
      outcome: type === 'test:fail' ? 'fail' : data.skip !== undefined ? 'skip' : 'pass',
      milliseconds: Math.round(data.details?.duration_ms ?? 0),
      message: error === undefined ? '' : String(error.cause?.stack ?? error.cause ?? error.stack ?? error),
    })}\n`;
  }
}
