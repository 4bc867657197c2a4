import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { DIST, NODE_MODULES, ROOT } from '../setup/setup-paths.mjs';
import { SetupProblem } from '../setup/setup-problem.mjs';
import { writeProgram } from './program-files.mjs';

/**
 * Runs electron-builder for one target; further arguments are passed to it. The files next to the shell's archive are
 * collected before, so that every kind of package has the same contents and a missing part ends the run at once.
 */
export async function makeDesktopPackages({ target, out, runtime, builderArgs, withoutKeychain }) {
  // electron-builder accepts only paths inside the repository.
  const program = path.join(DIST, 'package', String(process.pid));
  writeProgram({ target, folder: program, withoutKeychain, withShell: true });
  const system = { linux: '--linux', darwin: '--mac', win32: '--win' }[target.platform];
  const args = ['--config', 'build/config/electron-builder.yml', system, `--${target.arch}`, '--publish', 'never'];
  const child = spawn(
    runtime,
    [
      path.join(NODE_MODULES, 'electron-builder/cli.js'),
      ...args,
      `-c.directories.output=${out}`,
      `-c.extraMetadata.homepage=${homepage()}`,
      ...updateFeed(target),
      ...windowsSigning(target),
      ...macSigning(target),
      ...builderArgs,
    ],
    // With hard links, signing would change the files of node_modules.
    {
      stdio: 'inherit',
      cwd: ROOT,
      env: { ...process.env, HOMEPORT_PROGRAM: path.relative(ROOT, program), USE_HARD_LINKS: 'false' },
    },
  );
  const [code] = await once(child, 'exit');
  rmSync(program, { recursive: true, force: true });
  if (code !== 0)
    throw new SetupProblem(
      `electron-builder made no desktop app for ${target.name}; what it said is above. It downloads Electron and its tools, so it needs a network. Packages without Electron need none: npm run package -- --headless, or npm run package -- --npm`,
    );
}

/** electron-builder makes no deb and no rpm without it. A build on GitHub knows its repository. */
export function homepage({ GITHUB_REPOSITORY: repository, GITHUB_SERVER_URL: server } = process.env) {
  return repository ? `${server ?? 'https://github.com'}/${repository}` : 'https://homeport.invalid';
}

/**
 * Without this address the app never checks for updates. Every target has its own folder below it, because
 * electron-builder uses the same file name for two processors.
 */
export function updateFeed(target, env = process.env) {
  const url = env.HOMEPORT_UPDATE_URL?.replace(/\/+$/, '');
  // macOS installs no update of an app without a certificate, so none is offered.
  if (macSigning(target, env).length > 0) return [];
  return url ? ['-c.publish.provider=generic', `-c.publish.url=${url}/${target.name}`] : [];
}

const AD_HOC_ENTITLEMENTS = 'build/resources/entitlements.mac.adhoc.plist';

/**
 * Without a certificate (CSC_LINK, or CSC_NAME for one in the keychain) the app is signed ad hoc: Apple silicon kills a
 * program without any signature, and the fuses have changed the one that Electron came with. Its parts have no common team
 * then, so the entitlement that allows libraries of others is needed.
 */
export function macSigning(target, env = process.env) {
  if (target.platform !== 'darwin' || env.CSC_LINK || env.CSC_NAME) return [];
  return [
    '-c.mac.identity=-',
    '-c.electronFuses.resetAdHocDarwinSignature=true',
    `-c.mac.entitlements=${AD_HOC_ENTITLEMENTS}`,
    `-c.mac.entitlementsInherit=${AD_HOC_ENTITLEMENTS}`,
  ];
}

const AZURE = {
  endpoint: 'HOMEPORT_AZURE_ENDPOINT',
  codeSigningAccountName: 'HOMEPORT_AZURE_ACCOUNT',
  certificateProfileName: 'HOMEPORT_AZURE_PROFILE',
  publisherName: 'HOMEPORT_AZURE_PUBLISHER',
};

/**
 * Signs by Azure Trusted Signing when its account is named: authorities no longer sell certificates for Windows as files.
 * electron-builder reads who signs from AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET.
 */
export function windowsSigning(target, env = process.env) {
  if (target.platform !== 'win32') return [];
  const set = Object.entries(AZURE).filter(([, name]) => env[name]);
  if (set.length === 0) return [];
  const missing = Object.values(AZURE).filter((name) => !env[name]);
  if (missing.length > 0)
    throw new SetupProblem(
      `To sign for Windows, also set ${missing.join(', ')}. Without all of them nothing is signed.`,
    );
  return set.map(([option, name]) => `-c.win.azureSignOptions.${option}=${env[name]}`);
}
