import { launchServer } from './launch-server.mjs';
import { setUpOrExit } from './setup/run-setup.mjs';

launchServer({ runtime: await setUpOrExit({ quiet: true }) });
