import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { declareSdk } from '../../functions/compiler/type-check/declare-sdk.ts';

/** Types of `'homeport'` for editors. They take seconds to compute, so commands copy this file to projects. */
const sdkFolder = fileURLToPath(new URL('../../functions/sdk', import.meta.url));
writeFileSync(new URL('../../dist/sdk-types.json', import.meta.url), JSON.stringify(declareSdk(sdkFolder)));
