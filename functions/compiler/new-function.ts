import type { FunctionKind } from './function-path.ts';

/** Source of a new function that compiles without changes. */
export function newFunction(kind: FunctionKind, name: string): string {
  return { action: newAction, sync: newSync, 'on-event': newOnEvent }[kind](name);
}

function newAction(name: string): string {
  return `import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({
  description: 'What ${name} does',
  version: '1.0.0',
  input: z.void(),
  output: z.unknown(),

  exec: async (nango) => {
    const response = await nango.get({ endpoint: '/v1/me', retries: 3 });

    return response.data;
  },
});
`;
}

/** A model belongs to one sync of an integration, so each new sync gets a model named after it. */
function modelOf(name: string): string {
  const words = name.split(/[^a-zA-Z0-9]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const model = words.join('');
  return /^[A-Z]./.test(model) ? model : `Model${model}`;
}

function newSync(name: string): string {
  const model = modelOf(name);
  return `import { createSync } from 'homeport';
import * as z from 'zod';

const ${model} = z.object({ id: z.string() });

export default createSync({
  description: 'What ${name} keeps a copy of',
  version: '1.0.0',
  frequency: 'every hour',
  // With true it starts by itself for every connection, as soon as this file is saved.
  autoStart: false,
  models: { ${model} },

  exec: async (nango) => {
    for await (const items of nango.paginate<z.infer<typeof ${model}>>({ endpoint: '/v1/items', retries: 3 })) {
      await nango.batchSave(items, '${model}');
    }
  },
});
`;
}

function newOnEvent(name: string): string {
  return `import { createOnEvent } from 'homeport';

export default createOnEvent({
  description: 'What ${name} does for a new connection',
  version: '1.0.0',
  event: 'post-connection-creation',

  exec: async (nango) => {
    await nango.log('A connection was created');
  },
});
`;
}
