/**
 * What an agent that works in a project needs to know, in the format of agent skills. Claude Code reads the first folder,
 * Codex and others the second one.
 */
export function skillFiles(): Record<string, string> {
  return { '.claude/skills/homeport/SKILL.md': SKILL, '.agents/skills/homeport/SKILL.md': SKILL };
}

export const SKILL = `---
name: homeport
description: Writes, proves and deploys integration functions (syncs and actions) of Homeport. Use it in a project with homeport functions, or when the person wants data of a provider, or an action at one.
---

# Homeport functions

A sync copies records of a provider on a schedule. An action does one thing when an app or an agent calls it. The hub holds the
credentials: never ask for one, never write one into a file.

## Files

- \`<integration>/syncs/<name>.ts\` and \`<integration>/actions/<name>.ts\`; \`index.ts\` imports each of them.
- Import only from \`homeport\`, \`zod\` and relative files (with the ending \`.js\`). There is no Node.js and no fetch.
- The default export is \`createSync({ … })\` or \`createAction({ … })\`, written out in the file.
- Requests go through \`nango.get\`, \`post\`, \`put\`, \`patch\`, \`delete\` or \`nango.paginate\`, with a path below the base URL. Await
  each call. Give reads \`retries: 3\`; do not retry what creates something.
- Declare \`input\` and \`output\`, or \`models\` with \`id: z.string()\`, with zod. Save each page at once with \`nango.batchSave\`.
- Read the documentation of the provider before you write a request; check what it returns before you use it.

\`\`\`ts
import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({
  description: 'Reads an issue',
  version: '1.0.0',
  input: z.object({ id: z.string() }),
  output: z.object({ id: z.string(), title: z.string() }),

  exec: async (nango, input) => {
    const { data } = await nango.get<{ id: string; title: string }>({ endpoint: \`/v1/issues/\${input.id}\`, retries: 3 });
    return { id: data.id, title: data.title };
  },
});
\`\`\`

## With the tools of the hub

When the MCP server \`/mcp/manage\` of the hub is connected, use its tools, in this order. A draft goes live by \`deploy\` only.

1. \`list_integrations\`, \`find_providers\`, \`read_provider\` (the address of the documentation).
2. \`read_function\` for a file to start from, then \`write_function\`: one file, without relative imports.
3. \`compile\` until nothing is wrong.
4. \`dry_run\` with a connection. Reads are sent; writes are held back: give in \`answers\` what the provider would answer.
5. \`record\`, then \`replay\`.
6. \`deploy\`. A person sees the proof and the difference, and decides. After each change of the code start again at step 3.

A refusal names the step that is missing. When the person denies, do not ask again unless they want it.

## With the command line

1. \`homeport compile\` shows errors of the code and of its types.
2. \`homeport dryrun <name> <connection> --validate\` runs a function. It stores nothing, but requests that write do reach the
   provider: ask the person before you run such a function.
3. \`homeport dryrun <name> <connection> --save\` records the run, without secrets; \`homeport test\` replays it.
4. \`homeport logs\` shows what ran. Tell the person what you proved, and let them run \`homeport deploy\`.
`;
