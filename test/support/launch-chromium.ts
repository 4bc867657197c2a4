import { type Browser, chromium } from 'playwright-core';

/** Nothing of its own goes out to the network, and a root user of a container may run it. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The system's Chromium; `HOMEPORT_TEST_CHROMIUM` names another one. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['HOMEPORT_TEST_CHROMIUM'] ?? '/usr/bin/chromium',
    args: FLAGS,
  });
}
