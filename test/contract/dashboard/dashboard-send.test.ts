import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';

const FILES = {
  'models.ts': "import { z } from 'zod';\nexport const greeting = z.object({ text: z.string() });\n",
  'texts/hello.ts': "export const hello = 'Hello';\n",
  'actions/greet.ts': `import { createAction } from 'nango';
import { z } from 'zod';
import { greeting } from '../models.js';
import { hello } from '../texts/hello.js';

export default createAction({
  description: 'Greets',
  version: '3',
  input: z.object({ name: z.string() }),
  output: greeting,
  exec: async (_nango, { name }) => ({ text: \`\${hello}, \${name}\` }),
});
`,
  'on-events/welcome.ts': `import { createOnEvent } from 'nango';
import { hello } from '../texts/hello.js';

export default createOnEvent({
  description: 'Says hello',
  version: '1',
  event: 'post-connection-creation',
  exec: async (nango) => {
    await nango.log(hello);
  },
});
`,
};

let own: FunctionHub;
let other: FunctionHub;
let client: DashboardClient;
beforeAll(async () => {
  own = await startFunctionHub(FILES);
  other = await startFunctionHub({});
  client = await DashboardClient.signIn({ url: own.server.url, signIn: own.server });
  await saveFunction(own.server.workspace, 'acme/actions/broken.ts', 'export default 1 +;\n');
  const isListed = async (): Promise<boolean> =>
    (await client.call('GET /api/v1/functions')).data.some(({ name }) => name === 'broken');
  await waitFor(isListed, { what: 'the broken function in the list' });
});
afterAll(async () => {
  await own?.stop();
  await other?.stop();
});

/** What became of each file: the detail, or the outcome. */
async function send(conflict: 'skip' | 'replace'): Promise<Record<string, string>> {
  const { data } = await client.call('POST /api/v1/transfer/send', {
    body: {
      target: { url: other.server.url, secretKey: other.server.secretKey },
      conflict,
      parts: ['functions'],
      integrations: ['acme'],
    },
  });
  const rows = data.filter(({ name }) => name.startsWith('acme/'));
  return Object.fromEntries(rows.map(({ name, outcome, detail }) => [name, detail ?? outcome]));
}

describe('sending to another server', () => {
  it('deploys each function with the files that it imports, keeps what is there, and says what was not sent', async () => {
    expect(await send('skip')).toEqual({
      'acme/actions/broken.ts': 'it has never compiled, so there is nothing to send',
      'acme/actions/greet.ts': 'created',
      'acme/models.ts': 'sent inside the functions that import it',
      'acme/on-events/welcome.ts': 'created',
      'acme/texts/hello.ts': 'sent inside the functions that import it',
    });
    expect(await other.action('greet', { name: 'Ada' })).toMatchObject({ status: 200, body: { text: 'Hello, Ada' } });

    // The other server's functions are kept unless they are to be replaced.
    await saveFunction(own.server.workspace, 'acme/texts/hello.ts', "export const hello = 'Good day';\n");
    await waitFor(async () => (await own.action('greet', { name: 'Ada' })).body.text === 'Good day, Ada', {
      what: 'the new version',
    });
    const kept = 'the other server already has a function with this name, which is kept';

    expect(await send('skip')).toMatchObject({ 'acme/actions/greet.ts': kept, 'acme/on-events/welcome.ts': kept });
    expect((await other.action('greet', { name: 'Ada' })).body).toEqual({ text: 'Hello, Ada' });

    expect(await send('replace')).toMatchObject({ 'acme/actions/greet.ts': 'replaced' });
    expect((await other.action('greet', { name: 'Ada' })).body).toEqual({ text: 'Good day, Ada' });

    // The file of a function is newer than what was sent.
    await saveFunction(own.server.workspace, 'acme/actions/greet.ts', 'export default 1 +;\n');
    await waitFor(
      async () =>
        (await client.call('GET /api/v1/functions')).data.some(
          ({ name, status }) => name === 'greet' && status === 'compile_error',
        ),
      { what: 'the broken file' },
    );

    expect(await send('replace')).toMatchObject({
      'acme/actions/greet.ts': 'the file does not compile, so the last version that did was sent',
    });
    expect((await other.action('greet', { name: 'Ada' })).body).toEqual({ text: 'Good day, Ada' });
  });
});
