import { API_TYPES_FILE, UNTYPED_SDK } from './api-types-file.ts';
import { STRICT_OPTIONS } from './type-check/strict-options.ts';

/**
 * Folder with the types of `'homeport'` and zod in a folder of functions that is no project with packages of its own.
 * Hidden: functions are not searched there.
 */
export const EDITOR_TYPES_FOLDER = '.homeport-types';

/** Files of that folder beside the types: an editor then judges functions as the hub's own check does. */
export const EDITOR_TYPES_CONFIG: Record<string, string> = {
  '.gitignore': '*\n',
  'tsconfig.json': textOf({
    compilerOptions: {
      target: 'esnext',
      module: 'esnext',
      moduleResolution: 'bundler',
      allowImportingTsExtensions: true,
      resolveJsonModule: true,
      ...STRICT_OPTIONS,
      noEmit: true,
      types: [],
      paths: pathsOf('./sdk.d.ts', '.'),
    },
    files: ['guest-globals.d.ts', 'guest-modules.d.ts'],
  }),
};

/** The `tsconfig.json` of the folder of functions. */
export const FOLDER_TSCONFIG = textOf({
  extends: `./${EDITOR_TYPES_FOLDER}/tsconfig.json`,
  include: ['**/*.ts'],
});

/** The one of an integration with types of its API: the nearest file of this name decides how imports are found. */
export const INTEGRATION_TSCONFIG = textOf({
  extends: `../${EDITOR_TYPES_FOLDER}/tsconfig.json`,
  compilerOptions: {
    paths: {
      ...pathsOf(`./${API_TYPES_FILE}`, `../${EDITOR_TYPES_FOLDER}`),
      [UNTYPED_SDK]: [`../${EDITOR_TYPES_FOLDER}/sdk.d.ts`],
    },
  },
  include: ['**/*.ts'],
});

function pathsOf(sdk: string, typesFolder: string): Record<string, string[]> {
  return { homeport: [sdk], nango: [sdk], '@nangohq/runner-sdk': [sdk], zod: [`${typesFolder}/zod/index.d.ts`] };
}

function textOf(config: object): string {
  return `${JSON.stringify(config, null, 2)}\n`;
}
