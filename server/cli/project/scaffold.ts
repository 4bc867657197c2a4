import type { FunctionKind } from '../../../functions/compiler/function-path.ts';
import { STRICT_OPTIONS } from '../../../functions/compiler/type-check/strict-options.ts';
import { TYPES_FOLDER } from './editor-types.ts';

/**
 * Files of a new project except its package.json (functions.md 1.1). The example uses the practice provider, which
 * every hub has.
 */
export function projectFiles(): Record<string, string> {
  return {
    '.nango/.gitignore': '*\n!.gitignore\n',
    '.gitignore': 'node_modules\nbuild\n.env\n',
    '.env': `# Keys of environments: the dashboard shows them. Your own hub on this computer needs none.\n# NANGO_SECRET_KEY_DEV=\n`,
    'index.ts': "// Every function of the project, one import each.\nimport './practice/actions/whoami.js';\n",
    'tsconfig.json': TSCONFIG,
    'practice/actions/whoami.ts': newFunction('action', 'whoami'),
  };
}

/**
 * `command` starts the command line. It is not the bare name, which another package has in the registry (design.md
 * 7.41).
 */
export function projectPackage(command: string): {
  scripts: Record<string, string>;
  devDependencies: Record<string, string>;
} {
  return {
    scripts: { homeport: command, compile: `${command} compile`, dev: `${command} dev` },
    devDependencies: { zod: '4.3.6' },
  };
}

export const TSCONFIG = `${JSON.stringify(
  {
    compilerOptions: {
      module: 'node16',
      moduleResolution: 'node16',
      target: 'esnext',
      ...STRICT_OPTIONS,
      declaration: false,
      sourceMap: true,
      checkJs: false,
      noEmit: true,
      paths: { homeport: [`./${TYPES_FOLDER}/sdk.d.ts`], nango: [`./${TYPES_FOLDER}/sdk.d.ts`] },
      types: [],
    },
    files: ['guest-globals.d.ts', 'guest-modules.d.ts'].map((name) => `${TYPES_FOLDER}/${name}`),
    include: ['index.ts', '**/*.ts'],
    exclude: ['node_modules', 'dist', 'build', '.nango'],
  },
  null,
  2,
)}\n`;

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
  autoStart: true,
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
