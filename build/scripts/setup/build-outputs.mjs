import { existsSync } from 'node:fs';
import path from 'node:path';
import { bundleServer, bundleShell } from './bundles.mjs';
import { createGlance, fingerprint, readJson, writeJson } from './fingerprint.mjs';
import { CommandError, lastLines, runCommand } from './run-command.mjs';
import { DIST, ROOT } from './setup-paths.mjs';
import { SetupProblem } from './setup-problem.mjs';

const STAMP = path.join(DIST, 'build.json');
const ALWAYS = ['package-lock.json', 'build/scripts/setup/bundles.mjs', 'build/scripts/setup/build-outputs.mjs'];

const runScript = (runtime, ...args) =>
  runCommand(runtime, args, { cwd: ROOT, env: { ...process.env, NODE_ENV: 'production' } });

/** The build steps by name: their inputs, their outputs, and how to run them. Those that need native modules come last. */
const STEPS = [
  {
    name: 'server',
    inputs: ['server', 'functions/runtime', 'functions/compiler', 'functions/sdk', 'functions/testing'],
    output: 'server/main.mjs',
    build: () => bundleServer(),
  },
  {
    name: 'guest code of the sandbox',
    inputs: ['functions/runtime', 'functions/sdk', 'build/scripts/write-guest.ts'],
    output: 'guest/guest.js',
    build: (runtime) => runScript(runtime, 'build/scripts/write-guest.ts'),
  },
  {
    name: 'mock classes for tests',
    inputs: ['functions/testing', 'functions/runtime', 'functions/sdk', 'build/scripts/write-test-setup.ts'],
    output: 'testing/vitest-setup.js',
    build: (runtime) => runScript(runtime, 'build/scripts/write-test-setup.ts'),
  },
  {
    name: 'types of functions',
    inputs: ['functions/sdk', 'functions/compiler/type-check', 'build/scripts/write-sdk-types.ts'],
    output: 'sdk-types.json',
    build: (runtime) => runScript(runtime, 'build/scripts/write-sdk-types.ts'),
  },
  {
    name: 'provider catalogue',
    inputs: ['server/integrations/catalog', 'build/scripts/write-catalog.ts'],
    output: 'catalog.json',
    build: (runtime) => runScript(runtime, 'build/scripts/write-catalog.ts'),
  },
  {
    name: 'documentation',
    inputs: [
      'server/docs/*.md',
      'server/docs/pictures',
      'server/cli/commands.md',
      'server/contract',
      'server/integrations/catalog',
      'server/*.contract.ts',
      'server/*.api.ts',
      'functions/sdk',
      'functions/templates',
      'renderer/lib',
      'renderer/app/screens.ts',
      'build/scripts/docs',
      'build/scripts/write-docs.ts',
    ],
    output: 'docs/pages.json',
    build: (runtime) => runScript(runtime, 'build/scripts/write-docs.ts'),
  },
  {
    name: 'logos',
    inputs: [
      'server/integrations/catalog/brand-icons.yaml',
      'build/scripts/brand-icon.ts',
      'build/scripts/write-logos.ts',
    ],
    output: 'logos',
    build: (runtime) => runScript(runtime, 'build/scripts/write-logos.ts'),
  },
  {
    name: 'desktop shell',
    inputs: ['electron', 'server/contract', 'server/*.contract.ts', 'renderer/lib', 'build/resources'],
    output: 'electron/main.mjs',
    build: () => bundleShell(),
  },
  {
    name: 'dashboard',
    inputs: ['renderer', 'server/contract', 'server/*.contract.ts', 'build/config/vite.config.ts'],
    output: 'renderer',
    isOptional: true,
    build: (runtime) =>
      runScript(runtime, 'node_modules/vite/bin/vite.js', 'build', '--config', 'build/config/vite.config.ts'),
  },
  {
    name: 'connect page',
    inputs: ['renderer', 'server/contract', 'server/*.contract.ts', 'build/config/connect-vite.config.ts'],
    output: 'connect',
    isOptional: true,
    build: (runtime) =>
      runScript(runtime, 'node_modules/vite/bin/vite.js', 'build', '--config', 'build/config/connect-vite.config.ts'),
  },
  {
    name: 'start-up snapshot of the sandbox',
    inputs: [
      'functions/runtime',
      'functions/sdk',
      'server/platform/sandbox/guest-snapshot.ts',
      'server/platform/sandbox/worker/make-snapshot.ts',
      'build/scripts/write-guest-snapshot.ts',
    ],
    output: 'snapshot/guest.snapshot',
    // Without the snapshot each worker makes its own at its start.
    isOptional: true,
    needsNativeModules: true,
    build: (runtime) => runScript(runtime, '--no-node-snapshot', 'build/scripts/write-guest-snapshot.ts'),
  },
];

const inputsOf = (step) => [...step.inputs, ...ALWAYS];
const isMade = (step) => existsSync(path.join(DIST, step.output));

/** Whether nothing changed since the last build, checked without reading the sources. */
export function isBuilt() {
  const stamp = readJson(STAMP) ?? {};
  const glance = createGlance();
  return STEPS.every((step) => isMade(step) && stamp[step.name]?.glance === glance(inputsOf(step)));
}

/** A source that cannot be built: what was built before still runs. */
export class BuildProblem extends SetupProblem {}

/**
 * Builds what changed since the last build, while the native modules (a promise) are prepared. A failed build of the pages
 * does not keep the server from starting.
 */
export async function buildOutputs({ runtime, progress, rebuild, nativeModules }) {
  const stamp = (!rebuild && readJson(STAMP)) || {};
  const glanceAt = createGlance();
  for (const step of STEPS) {
    if (step.needsNativeModules) await nativeModules;
    // Taken before the build, so that the next build includes changes made meanwhile.
    const glance = glanceAt(inputsOf(step));
    const key = fingerprint(inputsOf(step));
    const isKnown = stamp[step.name]?.key === key && isMade(step);
    if (isKnown && stamp[step.name].glance === glance) continue;
    try {
      if (!isKnown) await progress.step(`building the ${step.name}`, () => step.build(runtime));
      stamp[step.name] = { key, glance };
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const details = lastLines(error.output, 15);
      if (!step.isOptional) throw new BuildProblem(`The ${step.name} could not be built.`, details);
      delete stamp[step.name];
      progress.note(`The ${step.name} could not be built; the server runs without it.`);
      progress.note(details);
    }
    writeJson(STAMP, stamp);
  }
}
