import { prepareWindow } from './setup/electron-binary.mjs';
import { reportAndExit, setUpOrExit } from './setup/run-setup.mjs';

/** `--window`: with Electron, which `npm start` fetches by itself on a computer with a screen. */
let missing;
await setUpOrExit({
  rebuild: process.argv.includes('--rebuild'),
  onInstalled: (runtime, progress) => {
    if (process.argv.includes('--window')) missing = prepareWindow({ runtime, progress });
  },
});
const problem = await missing;
if (problem) reportAndExit({ message: problem });
