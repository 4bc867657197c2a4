import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readJson } from './fingerprint.mjs';
import { withLock } from './lock.mjs';
import { NODE_MODULES } from './setup-paths.mjs';

const PACKAGE = path.join(NODE_MODULES, 'electron');
const FETCHER = fileURLToPath(new URL('fetch-electron.mjs', import.meta.url));
/** Where Electron's archive of a system has its program. */
const PROGRAM =
  { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }[process.platform] ?? 'electron';
const TITLE = 'fetching the desktop window (once)';
/** In milliseconds. From then on a person is told that the wait is no must. */
const LONG_WAIT_MS = 20_000;

const WITHOUT_WAITING =
  'To start without waiting: Ctrl+C, then npm start -- --browser. What has come of the window so far is kept.';

/** Another folder with Electron, as Electron's own package accepts it: a system's package, or a build of one's own. */
const ownFolder = (env) => env.ELECTRON_OVERRIDE_DIST_PATH;

export function electronProgram(env = process.env) {
  return path.join(ownFolder(env) ?? path.join(PACKAGE, 'dist'), PROGRAM);
}

/** Whether Electron's program is there, in the version of the package. `npx install-electron` puts it there too. */
export function hasElectron(env = process.env) {
  if (ownFolder(env)) return existsSync(electronProgram(env));
  try {
    const version = readFileSync(path.join(PACKAGE, 'dist/version'), 'utf8').trim().replace(/^v/, '');
    return version === readJson(path.join(PACKAGE, 'package.json'))?.version && existsSync(electronProgram(env));
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Whether Electron is made for this system. */
function existsForSystem(platform = process.platform, arch = process.arch) {
  const version = readJson(path.join(PACKAGE, 'package.json'))?.version;
  return `electron-v${version}-${platform}-${arch}.zip` in (readJson(path.join(PACKAGE, 'checksums.json')) ?? {});
}

/** Fetches Electron if it is not there. Resolves to undefined, or to the reason why there is no window. */
export async function prepareWindow({ runtime, progress }) {
  if (hasElectron()) return undefined;
  if (!existsForSystem()) return `Electron has no desktop window for ${process.platform}-${process.arch}`;
  const problem = await fetchElectron({ runtime, progress });
  return problem && `the desktop window could not be fetched (${problem}; the next start tries again)`;
}

/**
 * Fetches Electron's program. Resolves to undefined, or to the reason why it could not be fetched. Electron's own modules
 * do it on the bundled Node, because they need a newer one than set-up.
 */
export function fetchElectron({ runtime, progress, env = process.env }) {
  const onWait = (pid) => progress.note(`Another start fetches the desktop window (process ${pid}); waiting for it.`);
  return withLock(
    async (stayFresh) => {
      if (hasElectron(env)) return undefined;
      const fetcher = startFetcher({ runtime, env });
      // Without a network there is no step, only a reason.
      if (!(await fetcher.begun)) return fetcher.problem;
      const hint = setTimeout(() => progress.note(WITHOUT_WAITING), LONG_WAIT_MS);
      try {
        await progress.step(TITLE, async (show) => {
          fetcher.onProgress((message) => {
            stayFresh();
            show(progressText(message));
          });
          const problem = await fetcher.problem;
          if (problem) throw new FetchError(problem);
        });
      } catch (error) {
        if (!(error instanceof FetchError)) throw error;
        return error.message;
      } finally {
        clearTimeout(hint);
      }
    },
    onWait,
    'electron',
  );
}

class FetchError extends Error {}

function progressText({ isUnpacking, receivedBytes, totalBytes }) {
  if (isUnpacking) return 'unpacking';
  const total = `${Math.round(totalBytes / 1_000_000)} MB`;
  return totalBytes > 0 ? `${Math.floor((100 * receivedBytes) / totalBytes)} % of ${total}` : '';
}

/** `begun` resolves to whether bytes come; `problem` to the reason when it ended without Electron. */
function startFetcher({ runtime, env }) {
  const child = spawn(runtime, [FETCHER, PACKAGE], {
    env: { ...env, ...proxyEnvironment(env) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const begun = Promise.withResolvers();
  let problem;
  let errors = '';
  let listener = () => {};
  child.stderr.on('data', (chunk) => (errors = (errors + chunk).slice(-2000)));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.problem) problem = message.problem;
    else {
      begun.resolve(true);
      listener(message);
    }
  });
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => resolve(code === 0 ? undefined : (problem ?? lastLine(errors))));
  });
  void ended.then((reason) => begun.resolve(reason === undefined));
  return { begun: begun.promise, problem: ended, onProgress: (use) => (listener = use) };
}

const lastLine = (text) => text.trim().split('\n').at(-1) || 'the download ended unexpectedly';

/** Node's own fetch uses a proxy only when it is told to. npm passes its settings on in these variables. */
function proxyEnvironment(env) {
  const proxy = env.HTTPS_PROXY ?? env.https_proxy ?? env.npm_config_https_proxy ?? env.npm_config_proxy;
  return {
    NODE_USE_ENV_PROXY: '1',
    NODE_USE_SYSTEM_CA: '1',
    ...(proxy ? { HTTPS_PROXY: proxy, HTTP_PROXY: env.HTTP_PROXY ?? env.http_proxy ?? proxy } : {}),
    ...(env.npm_config_cafile && !env.NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS: env.npm_config_cafile } : {}),
  };
}
