import { setUpOrExit } from './setup/run-setup.mjs';

await setUpOrExit({ rebuild: process.argv.includes('--rebuild') });
