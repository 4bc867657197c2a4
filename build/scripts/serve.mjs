import { becomeServer } from './launch-server.mjs';
import { setUpOrExit } from './setup/run-setup.mjs';

becomeServer({ runtime: await setUpOrExit({ quiet: true }) });
