import { join } from 'node:path';
import { API_TYPES_FILE, UNTYPED_SDK } from '../../../functions/compiler/api-types-file.ts';
import { typesOrigin, writeTypes } from '../../integrations/descriptions/write-types.ts';
import { readIfExists } from '../../platform/lib/read-if-exists.ts';
import { writeProjectFile } from '../../platform/lib/write-new-file.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { TYPES_FOLDER } from '../project/editor-types.ts';
import { openDescription } from './import-description.ts';

/** For the editor: the nearest file of this name decides how imports are found. */
const TSCONFIG = `${JSON.stringify(
  {
    extends: '../tsconfig.json',
    compilerOptions: {
      paths: {
        homeport: [`./${API_TYPES_FILE}`],
        nango: [`./${API_TYPES_FILE}`],
        [UNTYPED_SDK]: [`../${TYPES_FOLDER}/sdk.d.ts`],
      },
    },
    files: ['guest-globals.d.ts', 'guest-modules.d.ts'].map((name) => `../${TYPES_FOLDER}/${name}`),
    include: ['**/*.ts'],
  },
  null,
  2,
)}\n`;

/** `homeport types`: types of an integration's API, from its description. */
export async function writeApiTypes(
  context: CliContext,
  integration: string,
  { from }: { from?: string },
): Promise<void> {
  const { terminal } = context;
  const { isFunctionFolder } = await import('../../../functions/compiler/discovery.ts');
  if (!isFunctionFolder(integration))
    throw new CliFailure(`"${integration}" cannot be the name of an integration's folder.`, EXIT.usage);
  const { hasMarker, root } = await context.findProject();
  const path = `${integration}/${API_TYPES_FILE}`;
  const written = typesOrigin(await readIfExists(join(root, path)));
  const source = from ?? written?.source;
  if (source === undefined)
    throw new CliFailure(
      `Name the API description: homeport types ${integration} --from <file or address>. The next time it is known.`,
      EXIT.usage,
    );
  const description = await openDescription(context, source, (one) => one);
  const isUnchanged = description.hash === written?.hash && source === written.source;
  if (!isUnchanged) {
    await writeProjectFile(root, path, writeTypes(description, { sdk: UNTYPED_SDK, source }));
    if (hasMarker && (await readIfExists(join(root, integration, 'tsconfig.json'))) === undefined)
      await writeProjectFile(root, `${integration}/tsconfig.json`, TSCONFIG);
  }
  terminal.printJson({ path, hash: description.hash, changed: !isUnchanged });
  terminal.print(`${terminal.colors.green('✓')} ${path}${isUnchanged ? ' is up to date' : ''}`);
  if (!isUnchanged)
    terminal.note(
      `In functions of ${integration}, nango.get('/path') knows the paths of the API, their values and answers.`,
    );
}
