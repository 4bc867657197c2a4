import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { declareSdk } from '../../functions/compiler/type-check/declare-sdk.ts';

/** The types of `'homeport'` for editors; commands copy them to projects, which takes seconds to compute. */
const sdkFolder = fileURLToPath(new URL('../../functions/sdk', import.meta.url));
writeFileSync(new URL('../../dist/sdk-types.json', import.meta.url), JSON.stringify(declareSdk(sdkFolder)));
