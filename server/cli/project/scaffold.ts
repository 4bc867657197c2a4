import { newFunction } from '../../../functions/compiler/new-function.ts';
import { STRICT_OPTIONS } from '../../../functions/compiler/type-check/strict-options.ts';
import { skillFiles } from './agent-skill.ts';
import { TYPES_FOLDER } from './editor-types.ts';
import { BIN_FOLDER, binFiles, PACKAGE_NAME, PROJECT_COMMAND } from './project-bin.ts';

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
    ...skillFiles(),
    ...binFiles(),
  };
}

/** Scripts work before packages are installed; `npx homeport` works after it (functions.md 8.1). */
export const PROJECT_PACKAGE = {
  scripts: {
    homeport: PROJECT_COMMAND,
    compile: `${PROJECT_COMMAND} compile`,
    dev: `${PROJECT_COMMAND} dev`,
  },
  devDependencies: { [PACKAGE_NAME]: `file:${BIN_FOLDER}`, zod: '4.3.6' },
};

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
