import { newFunction } from '../../../functions/compiler/new-function.ts';
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
